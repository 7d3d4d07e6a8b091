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


def test_tables_without_positions_have_their_columns_and_take_rows_later(project):
    if project.feeds:
        pytest.skip("beside the shop there are changes with positions")
    project.add_feed("counted_by_offset", format="canal_json", files="in/counted_by_offset")
    project.write_model("counted_by_offset", GOLD.format(feed="counted_by_offset", more=""))
    row = {"id": "1", "value": "a"}
    project.land(
        Feed("counted_by_offset", "canal_json"),
        0,
        [canal_record("counted_by_offset", 1, "INSERT", row, 1)],
    )
    create_again(project)
    assert [project.spark.table(f"silver.{table}").count() for table in TABLES] == [0, 0]

    project.add_feed("counted_by_position", format="debezium_json", files="in/counted_by_position")
    more = "schema='public', "
    project.write_model("counted_by_position", GOLD.format(feed="counted_by_position", more=more))
    changes = [
        change(0, "r", {"id": 1, "value": "read"}, postgres("counted_by_position", 10, "true")),
        change(1, "u", {"id": 1, "value": "written"}, postgres("counted_by_position", 20)),
    ]
    project.land(Feed("counted_by_position", "debezium_json"), 1, changes)
    project.run()
    rows = {table: project.sql(f"select * from silver.{table}") for table in TABLES}
    assert all(rows.values())
    values = [
        project.sql(f"select value from gold.{feed}")
        for feed in ("counted_by_offset", "counted_by_position")
    ]
    assert values == [[("a",)], [("written",)]]

    # the same from their selects
    create_again(project)
    assert {table: project.sql(f"select * from silver.{table}") for table in TABLES} == rows
