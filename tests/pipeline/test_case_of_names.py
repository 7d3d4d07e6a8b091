"""MySQL takes names of columns that differ in case only for one: a column keeps its values when ALTER TABLE changes the case."""

import json

import pytest

from ingestion.config.feeds import Feed
from tests.pipeline.shop_records import change, mysql, postgres, shown

pytestmark = pytest.mark.long

COLUMNS = "{'id': 'int', 'job': 'string', 'pay': 'decimal(6,2)'}"
MODELS = {
    "cased_staff": f"current_state(feed='cased', database='shop', table='staff', key=['id'], columns={COLUMNS})",
    "cased_versions": f"history(feed='cased', database='shop', table='staff', key=['id'], columns={COLUMNS})",
    "cased_notes": (
        "current_rows(feed='cased', database='shop', table='notes', columns={'line': 'string', 'pay': 'decimal(6,2)'})"
    ),
    "cased_both": (
        "current_state(feed='cased', database='shop', table='both', key=['id'], columns={'id': 'int', 'job': 'string',"
        " 'job_too': {'type': 'string', 'source': 'JOB'}})"
    ),
    "cased_elsewhere": (
        "current_state(feed='cased', database='shop', schema='public', table='elsewhere', key=['id'],"
        " columns={'id': 'int', 'job': 'string'})"
    ),
    "cased_documents": (
        "current_state(feed='cased', database='shop', table='documents', key=['id'],"
        " columns={'id': {'type': 'int', 'source': '_id'}, 'job': 'string'})"
    ),
    "cased_taken": (
        "current_state(feed='cased', database='shop', table='taken', key=['id'], left_out=['note'], new_columns='add',"
        " columns={'id': 'int', 'state': {'type': 'string', 'source': 'status'}})"
    ),
    "cased_parts": (
        "current_state(feed='cased_parts', database='shop', table='parts', key=['id'],"
        " columns={'id': 'int', 'job': 'string', 'city': 'string'})"
    ),
}
DECIMAL = {"type": "bytes", "name": "org.apache.kafka.connect.data.Decimal"}
# 1.50, 2.50 and 3.50 in base64
FIRST, SECOND, THIRD = "AJY=", "APo=", "AV4="


def described(*names):
    """A schema block; a name that is `pay` in any case is a Decimal."""
    fields = [
        {"field": name, "optional": True}
        | (
            DECIMAL | {"parameters": {"scale": "2"}}
            if name.lower() == "pay"
            else {"type": "int32" if name.lower() == "id" else "string"}
        )
        for name in names
    ]
    return {"type": "struct", "fields": [{"type": "struct", "field": "after", "fields": fields}]}


def staff(offset, operation, row, **told):
    source = mysql("staff", 1, 100 + offset)
    return change(offset, operation, row, source, schema=described(*row), **told)


def note(offset, operation, row):
    source = mysql("notes", 1, 100 + offset)
    image = {"before": row, "after": None} if operation == "d" else {"before": None, "after": row}
    told = {"payload": image | {"source": source, "op": operation, "ts_ms": 2}}
    record = change(offset, operation, None, source)
    return record | {"value": json.dumps(told | {"schema": described(*row)}), "topic": "notes"}


def document(offset, row):
    source = {"connector": "mongodb", "version": "3.4.0.Final", "db": "shop", "snapshot": "false"}
    source |= {"collection": "documents", "ts_ms": 1, "ord": offset}
    record = change(offset, "c", None, mysql("documents", 1, 1))
    value = {"before": None, "after": json.dumps(row), "source": source, "op": "c", "ts_ms": 2}
    return record | {"key": json.dumps({"id": str(row["_id"])}), "value": json.dumps(value)}


def part(offset, kind, row):
    told = {"database": "shop", "table": "parts", "type": kind, "ts": 1, "xid": offset}
    told |= {"commit": True, "position": f"binlog.000001:{100 + offset}"}
    told |= {"primary_key": [row["id"]], "primary_key_columns": ["id"], "data": row}
    return {
        "topic": "parts",
        "partition": 0,
        "offset": offset,
        "timestamp": 0,
        "headers": [],
        "key": json.dumps({"database": "shop", "table": "parts", "pk.id": row["id"]}),
        "value": json.dumps(told),
    }


LOADS = [
    {
        "cased": [
            staff(0, "c", {"id": 1, "job": "a", "pay": FIRST}),
            staff(1, "c", {"id": 2, "job": "b", "pay": FIRST}),
            note(0, "c", {"line": "x", "pay": FIRST}),
            note(1, "c", {"line": "y", "pay": FIRST}),
            change(0, "c", {"id": 1, "job": "a", "JOB": "A"}, mysql("both", 1, 5)),
            change(0, "c", {"id": 1, "job": "a"}, postgres("elsewhere", 1)),
            change(0, "c", {"id": 1, "status": "a", "note": "n"}, mysql("taken", 1, 5)),
            document(0, {"_id": 1, "job": "a"}),
        ],
        "cased_parts": [part(0, "insert", {"id": 1, "job": "a", "city": "p"})],
    },
    {
        "cased": [
            staff(2, "u", {"id": 1, "JOB": "c", "Pay": SECOND}),
            staff(3, "c", {"id": 3, "Job": "d", "PAY": THIRD}),
            note(2, "c", {"LINE": "z", "PAY": SECOND}),
            note(3, "d", {"LINE": "x", "PAY": FIRST}),
            change(1, "u", {"id": 1, "job": "a", "JOB": "B"}, mysql("both", 1, 6)),
            change(1, "u", {"id": 1, "JOB": "b"}, postgres("elsewhere", 2)),
            change(1, "c", {"id": 2, "STATUS": "b", "NOTE": "n"}, mysql("taken", 1, 6)),
            # no field that is NULL
            document(1, {"_id": 2}),
        ],
        "cased_parts": [part(1, "update", {"id": 1, "JOB": "b"})],
    },
]


@pytest.fixture(scope="module")
def built(project):
    before = project.feeds
    project.add_feed("cased", format="debezium_json", files="in/cased")
    project.add_feed("cased_parts", format="maxwell", files="in/cased_parts", order="position")
    for name, text in MODELS.items():
        project.write_model(name, f"{{{{ cdc.{text} }}}}\n")
    for number, feeds in enumerate(LOADS):
        for name, records in feeds.items():
            told = Feed(name=name, format=project.feeds[name]["format"])
            project.land(told, number, records)
        project.run("--select", "silver", *MODELS)
    yield project
    project.set_feeds(before)
    for name in MODELS:
        (project.root / "models" / "gold" / f"{name}.sql").unlink()


def rows_of(lakehouse, table, *columns):
    texts = ", ".join(f"cast({column} as string)" for column in columns)
    return sorted(tuple(row) for row in lakehouse.sql(f"select {texts} from gold.{table}"))


def test_values_stay_also_those_that_messages_encode(built):
    found = rows_of(built, "cased_staff", "id", "job", "pay")
    assert found == [("1", "c", "2.50"), ("2", "b", "1.50"), ("3", "d", "3.50")]


def test_a_full_refresh_gives_the_same_rows(built):
    before = rows_of(built, "cased_staff", "id", "job", "pay")
    built.run("--full-refresh", "--select", "cased_staff")
    assert rows_of(built, "cased_staff", "id", "job", "pay") == before


def test_history_has_the_values_of_either_name(built):
    found = rows_of(built, "cased_versions", "id", "job", "pay", "is_current")
    assert found == [
        ("1", "a", "1.50", "false"),
        ("1", "c", "2.50", "true"),
        ("2", "b", "1.50", "true"),
        ("3", "d", "3.50", "true"),
    ]


def test_a_row_without_a_key_goes_by_either_name(built):
    assert rows_of(built, "cased_notes", "line", "pay") == [("y", "1.50"), ("z", "2.50")]


def test_a_partial_image_keeps_the_columns_that_it_lacks(built):
    assert rows_of(built, "cased_parts", "id", "job", "city") == [("1", "b", "p")]


def test_a_column_under_another_name_or_left_out_is_not_added_in_another_case(built):
    rows = built.sql("select * except (_change) from gold.cased_taken order by id")
    assert [row.asDict() for row in rows] == [{"id": 1, "state": "a"}, {"id": 2, "state": "b"}]


def test_a_document_without_a_field_lacks_no_column(built):
    assert rows_of(built, "cased_documents", "id", "job") == [("1", "a"), ("2", None)]


def test_two_declared_names_are_two_columns(built):
    assert rows_of(built, "cased_both", "id", "job", "job_too") == [("1", "a", "B")]


def test_elsewhere_the_other_name_is_another_column_and_reported(built):
    assert built.sql("select job from gold.cased_elsewhere")[0].job is None
    found = shown(built, "--select", "columns_follow_the_source")
    tables = {row["gold_table"] for row in found}
    assert "cased_elsewhere" in tables
    assert not tables & (set(MODELS) - {"cased_elsewhere"})
