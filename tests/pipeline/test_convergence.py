"""A full refresh gives what the runs before it made; test_properties.py has orders, repeats, splits."""

from tests.pipeline.shop_records import content

TABLES = ("customers", "order_items", "carts", "stock", "shipments", "picking_list")
SILVER = """
    select count(*), sum(hash(* except (bronze_version, before_image, after_image)))
    from silver.changes where feed like 'shop%'"""


def test_full_refresh_equals_the_incremental_result(shop):
    before = {table: content(shop, table) for table in TABLES}
    rows = shop.sql(SILVER)
    shop.run("--full-refresh")
    assert {table: content(shop, table) for table in TABLES} == before
    assert shop.sql(SILVER) == rows
