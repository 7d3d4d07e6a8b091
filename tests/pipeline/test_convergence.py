"""A full refresh gives what the runs before it made; test_properties.py has orders, repeats, splits."""

import pytest

from ingestion.config import Feed
from tests.pipeline.shop_records import canal_ddl, canal_record, content

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


WANDERING = """{{ current_state(
    feed='wandering', database='shop', table='wandering', key=['id'], columns={'id': 'int', 'name': 'string'}
) }}
"""


@pytest.fixture
def wandering(shop):
    """Gold of keys in two partitions, of a format in which only offsets order."""
    before = shop.feeds
    shop.add_feed("wandering", format="canal_json", files="in/wandering")
    shop.write_model("wandering", WANDERING)
    yield Feed(name="wandering", format="canal_json")
    shop.set_feeds(before)
    (shop.root / "models" / "gold" / "wandering.sql").unlink()


def test_a_truncate_of_one_partition_leaves_what_another_one_told_of_the_key(shop, wandering):
    """Gold has kept the change of the higher offset only; a full refresh finds both."""
    told = ((1, 5, 1, "in the other"), (0, 10, 1, "in the one"), (0, 11, 2, "here only"))
    shop.land(
        wandering,
        0,
        [
            canal_record("wandering", offset, "INSERT", {"id": key, "name": name}, 1000, partition)
            for partition, offset, key, name in told
        ],
    )
    shop.run("--select", "silver", "wandering")
    assert [row.name for row in names_of(shop)] == ["in the one", "here only"]
    shop.land(wandering, 1, [canal_ddl("wandering", 50, "TRUNCATE", "TRUNCATE TABLE wandering")])
    shop.run("--select", "silver", "wandering")
    kept = content(shop, "wandering")
    assert [row.name for row in names_of(shop)] == ["in the other"]
    shop.run("--full-refresh", "--select", "wandering")
    assert content(shop, "wandering") == kept


def names_of(shop):
    return shop.sql("select name from gold.wandering order by id")
