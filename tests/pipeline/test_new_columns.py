"""Columns that the source adds and types that it widens appear in gold, where the model says so."""

import pytest

from ingestion.config.feeds import Feed
from ingestion.config.project_files import PROJECT_ROOT
from ingestion.dbt.macros import macros_of
from tests.pipeline.shop_records import canal_ddl, canal_record, shown

pytestmark = pytest.mark.long

MODEL = """{{{{ cdc.current_state(
    feed='growing', database='shop', table='grown', key=['id'],
    columns={{'id': '{id_type}'}},
    left_out=['note'],
    new_columns='{new_columns}'
) }}}}
"""
FIRST = {"id": "int", "value": "varchar(10)"}
LOADS = [
    (FIRST, {"id": "1", "value": "a"}),
    # one that gold should have, one that it should not, one that a table cannot have under its name
    (FIRST | {"amount": "int", "note": "text", "a b": "int"}, {"id": "2", "amount": "7"}),
    (
        FIRST | {"amount": "bigint", "note": "text", "a b": "int"},
        {"id": "3", "amount": "5000000000"},
    ),
]


@pytest.fixture(scope="module")
def grown(project):
    """Gold after each load: its columns, and its rows."""
    before = project.feeds
    project.add_feed("growing", format="canal_json", files="in/growing")
    project.write_model("grown", MODEL.format(id_type="int", new_columns="add"))
    seen = []
    for number, (types, told) in enumerate(LOADS):
        row = {name: told.get(name) for name in types}
        record = canal_record("grown", number, "INSERT", row, 1000 + number, types=types)
        project.land(Feed(name="growing", format="canal_json"), number, [record])
        project.run("--select", "silver", "grown")
        seen.append(columns_and_rows(project))
    project.seen = seen
    yield project
    project.set_feeds(before)
    (project.root / "models" / "gold" / "grown.sql").unlink()


def columns_and_rows(project):
    table = project.spark.table("gold.grown").drop("_change")
    return dict(table.dtypes), sorted(map(tuple, table.collect()))


def first_three(project):
    """As `columns_and_rows`, without what the fixture `found` brings, whether it was there before or not."""
    table = project.spark.table("gold.grown").where("id <= 3").drop("_change", "total")
    return dict(table.dtypes), sorted(map(tuple, table.collect()))


def test_a_column_that_the_source_adds_is_in_gold_at_once(grown):
    first, second, third = grown.seen
    assert first == ({"id": "int", "value": "string"}, [(1, "a")])
    assert second == (
        {"id": "int", "amount": "int", "value": "string"},
        [(1, None, "a"), (2, 7, None)],
    )
    assert third == (
        {"id": "int", "amount": "bigint", "value": "string"},
        [(1, None, "a"), (2, 7, None), (3, 5_000_000_000, None)],
    )


def test_a_second_run_has_nothing_to_do_and_a_full_refresh_says_the_same(grown):
    grown.write_model("grown", MODEL.format(id_type="int", new_columns="add"))
    grown.run("--select", "silver", "grown")
    assert first_three(grown) == grown.seen[-1]
    before = grown.versions()
    grown.run("--select", "silver", "grown")
    assert grown.versions() == before
    grown.run("--full-refresh", "--select", "grown")
    assert first_three(grown) == grown.seen[-1]


def findings(lakehouse):
    """Each column with what is said of it, which begins with its name."""
    rows = shown(lakehouse, "--select", "columns_follow_the_source")
    rows = [row for row in rows if row["gold_table"] == "grown"]
    assert all(row["finding"].startswith(f"{row['column_name']}: ") for row in rows)
    return {tuple(row["finding"].split(": ", 1)) for row in rows}


def test_what_gold_cannot_have_is_reported_and_what_widened(grown):
    wanted = "gold cannot have it under this name: name it with another, or list it in left_out"
    assert findings(grown) == {("a b", wanted), ("amount", "its type was int and is bigint")}


def test_another_declaration_makes_the_table_anew(grown):
    grown.write_model("grown", MODEL.format(id_type="bigint", new_columns="add"))
    grown.run("--select", "grown")
    columns, rows = first_three(grown)
    assert columns == grown.seen[-1][0] | {"id": "bigint"}
    assert rows == grown.seen[-1][1]


def test_a_model_that_no_longer_adds_columns_lets_go_of_them(grown):
    """They would stay as they are, whatever the source does."""
    grown.write_model("grown", MODEL.format(id_type="bigint", new_columns="report"))
    grown.run("--select", "grown")
    assert first_three(grown) == ({"id": "bigint"}, [(1,), (2,), (3,)])


def test_a_setting_that_is_none_names_those_that_are(grown):
    grown.write_model("grown", MODEL.format(id_type="bigint", new_columns="now"))
    refused = grown.dbt("parse")
    assert "it is 'report'" in str(refused.exception)
    assert "or 'add'" in str(refused.exception)
    grown.write_model("grown", MODEL.format(id_type="bigint", new_columns="add"))


# what the source says before any row does, and the columns of gold that it is about
SAID = {
    "ALTER TABLE grown DROP COLUMN `total`, ADD ean int": {"total"},
    "alter table grown modify ID int": {"id"},
    "ALTER TABLE grown DROP INDEX value, ADD KEY k (id, amount)": set(),
    "ALTER TABLE grown DROP (total, amount)": {"total", "amount"},
    "ALTER TABLE grown DROP COLUMN IF EXISTS [total], COLUMN amount": {"total", "amount"},
    'ALTER TABLE grown MODIFY (amount NUMBER(5, 2), "value" VARCHAR2(9))': {"amount", "value"},
    "ALTER TABLE grown DROP total, DROP /* gone, */ amount -- , id": {"total", "amount"},
    "ALTER TABLE grown SET UNUSED (value, `amount`)": {"value", "amount"},
    "ALTER TABLE grown RENAME COLUMN total TO id, ALTER value SET NOT NULL": {"total", "value"},
    "ALTER TABLE grown CHANGE total sum enum('a, id', 'it''s, DROP id') AFTER value": {"total"},
    "ALTER TABLE grown ADD COLUMN ean decimal(9, 2) DEFAULT 1.50 AFTER id": set(),
    "ALTER TABLE grown ADD (`ean` NUMBER(9, 2), id int)": set(),
}
ADDING = {text for text in SAID if "ean" in text}


@pytest.fixture(scope="module")
def found(grown):
    """The findings after a column was renamed, a partition lagged behind, and DDL messages came."""
    grown.write_model("grown", MODEL.format(id_type="bigint", new_columns="add"))
    row = {"id": "4", "value": "d", "total": "8"}
    types = {"id": "INT(11)", "value": "varchar(5)", "total": "int"}
    records = [canal_record("grown", 3, "INSERT", row, 1003, types=types)]
    # of a partition that lags behind
    row = {"id": "5", "value": "e", "amount": "6"}
    types = FIRST | {"amount": "smallint"}
    records += [canal_record("grown", 0, "INSERT", row, 1000, partition=1, types=types)]
    grown.land(Feed(name="growing", format="canal_json"), 3, records)
    grown.run("--select", "silver", "grown")
    assert columns_and_rows(grown)[1][-2:] == [(4, None, 8, "d"), (5, 6, None, "e")]
    told = [canal_ddl("grown", 4 + number, "ALTER", text) for number, text in enumerate(SAID)]
    grown.land(Feed(name="growing", format="canal_json"), 4, told)
    grown.run("--select", "silver", "grown")
    return findings(grown)


def test_a_column_that_gold_added_is_missed_where_the_source_renames_it(found):
    lacks = "rows lack it: it was dropped or renamed, or the producer leaves it out"
    assert ("amount", lacks) in found


def test_rows_without_their_nulls_lack_no_column():
    feeds = {("format", "aws_dms"): ["d"], ("output_nulls", "dropped"): ["f", "m"]}
    given = {"feeds_with": lambda *setting: feeds[setting]}
    files = ("sql/quoted.sql", "sql/names.sql", "checks/leaves_nulls_out.sql")
    source = "\n".join((PROJECT_ROOT / "macros" / name).read_text() for name in files)
    assert "changes.feed in ('d', 'f', 'm')" in macros_of(source, given).leaves_nulls_out("changes")


def test_a_type_that_became_another_one_is_told_in_the_order_of_the_source(found):
    assert {(name, text) for name, text in found if text.startswith("its type")} == {
        ("amount", "its type was smallint and is int"),
        ("amount", "its type was int and is bigint"),
        ("value", "its type was varchar(10) and is varchar(5)"),
    }


def test_every_column_that_ddl_names_is_reported_before_any_row_tells_it(found):
    assert {(name, text) for name, text in found if text.startswith("the source has")} == {
        (name, f"the source has said: {text}") for text, names in SAID.items() for name in names
    }


def test_a_column_that_ddl_adds_is_reported_where_the_model_does_not_add_it(grown, found):
    grown.write_model("grown", MODEL.format(id_type="bigint", new_columns="report"))
    said = {text for name, text in findings(grown) if name == "ean"}
    assert said == {f"the source has said: {text}" for text in ADDING}
