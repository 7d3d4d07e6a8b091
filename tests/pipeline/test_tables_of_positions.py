"""silver.order_marks and silver.sequence_ranges have the columns that their models declare, with rows and without."""

import pytest
import yaml

from ingestion.config.feeds import Feed
from tests.pipeline.conftest import ROOT
from tests.pipeline.shop_records import canal_record, change, postgres

pytestmark = pytest.mark.long

MODELS = ROOT / "models" / "silver" / "_silver__models.yml"
TABLES = ("order_marks", "sequence_ranges")
GOLD = """{{{{ cdc.current_state(
    feed='{feed}', database='shop', {more}table='{feed}', key=['id'],
    columns={{'id': 'int', 'value': 'string'}}
) }}}}
"""


def declared(table):
    """Return the names and types of a model's columns."""
    models = {one["name"]: one for one in yaml.safe_load(MODELS.read_text())["models"]}
    columns = models[f"cdc_{table}"]["columns"]
    return [(column["name"], column["data_type"].replace(" ", "")) for column in columns]


def created(project, table):
    """Return those of a table."""
    fields = project.spark.table(f"silver.{table}").schema.fields
    return [(field.name, field.dataType.simpleString()) for field in fields]


def create_again(project):
    for table in TABLES:
        project.sql(f"drop table if exists silver.{table}")
    project.run()
    assert {table: created(project, table) for table in TABLES} == {
        table: declared(table) for table in TABLES
    }


def rows_of_feed(project, table):
    return project.sql(f"select * from silver.{table} where feed = 'counted_by_position'")


@pytest.fixture
def alone(request, project):
    """The project while silver has no change of another test; the shop's tables want theirs."""
    if any("shop" in getattr(item, "fixturenames", ()) for item in request.session.items):
        pytest.skip("in a session with the shop the tables hold its positions")
    before = project.feeds
    versions = {}
    for row in project.sql("show tables in silver like '*_changes'"):
        table = f"silver.{row.tableName}"
        versions[table] = project.sql(f"describe history {table} limit 1")[0].version
        project.sql(f"delete from {table}")
    yield project
    project.set_feeds(before)
    for table, version in versions.items():
        project.sql(f"restore table {table} to version as of {version}")


def test_tables_without_positions_have_their_columns_and_take_rows_later(alone):
    alone.add_feed("counted_by_offset", format="canal_json", files="in/counted_by_offset")
    alone.write_model("counted_by_offset", GOLD.format(feed="counted_by_offset", more=""))
    row = {"id": "1", "value": "a"}
    record = canal_record("counted_by_offset", 1, "INSERT", row, 1)
    alone.land(Feed("counted_by_offset", "canal_json"), 0, [record])
    create_again(alone)
    assert [alone.spark.table(f"silver.{table}").count() for table in TABLES] == [0, 0]

    alone.add_feed("counted_by_position", format="debezium_json", files="in/counted_by_position")
    more = "schema='public', "
    alone.write_model("counted_by_position", GOLD.format(feed="counted_by_position", more=more))
    changes = [
        change(0, "r", {"id": 1, "value": "read"}, postgres("counted_by_position", 10, "true")),
        change(1, "u", {"id": 1, "value": "written"}, postgres("counted_by_position", 20)),
    ]
    alone.land(Feed("counted_by_position", "debezium_json"), 1, changes)
    alone.run()
    rows = {table: rows_of_feed(alone, table) for table in TABLES}
    assert all(rows.values())
    values = [
        alone.sql(f"select value from gold.{feed}")
        for feed in ("counted_by_offset", "counted_by_position")
    ]
    assert values == [[("a",)], [("written",)]]

    # the same from their selects
    create_again(alone)
    assert {table: rows_of_feed(alone, table) for table in TABLES} == rows
