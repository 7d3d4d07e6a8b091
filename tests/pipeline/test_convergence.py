"""A full refresh gives what the runs before it made; test_properties.py has orders, repeats, splits."""

import pytest

from ingestion.config.feeds import Feed
from tests.pipeline.shop_records import canal_ddl, canal_record, content

pytestmark = pytest.mark.long

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


HALF_EMPTIED = """{{ cdc.current_state(
    feed='half_emptied', database='shop', table='half_emptied', key=['id'], columns={'id': 'int', 'name': 'string'}
) }}
"""


@pytest.fixture
def half_emptied(project):
    """Gold of keys in two partitions, of a format in which only offsets order."""
    before = project.feeds
    project.add_feed("half_emptied", format="canal_json", files="in/half_emptied")
    project.write_model("half_emptied", HALF_EMPTIED)
    yield Feed(name="half_emptied", format="canal_json")
    project.set_feeds(before)
    (project.root / "models" / "gold" / "half_emptied.sql").unlink()


def test_a_truncate_of_one_partition_leaves_what_another_one_told_of_the_key(project, half_emptied):
    """Gold has kept the change of the higher offset only; a full refresh finds both."""
    told = ((1, 5, 1, "in the other"), (0, 10, 1, "in the one"), (0, 11, 2, "here only"))
    project.land(
        half_emptied,
        0,
        [
            canal_record(
                "half_emptied", offset, "INSERT", {"id": key, "name": name}, 1000, partition
            )
            for partition, offset, key, name in told
        ],
    )
    project.run("--select", "silver", "half_emptied")
    assert [row.name for row in names_of(project)] == ["in the one", "here only"]
    project.land(
        half_emptied, 1, [canal_ddl("half_emptied", 50, "TRUNCATE", "TRUNCATE TABLE half_emptied")]
    )
    project.run("--select", "silver", "half_emptied")
    kept = content(project, "half_emptied")
    assert [row.name for row in names_of(project)] == ["in the other"]
    project.run("--full-refresh", "--select", "half_emptied")
    assert content(project, "half_emptied") == kept


def names_of(project):
    return project.sql("select name from gold.half_emptied order by id")
