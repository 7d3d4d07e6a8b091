"""A record without a value: where it is the delete itself it removes its row, and where it follows a delete that was lost, as on a
compacted topic, the row that stays is reported. A format whose Kafka key names no row reports the record."""

import json
import shutil

import pytest

from ingestion.config.feeds import Feed
from tests.formats.conftest import load_lines, wire_bytes
from tests.pipeline.conftest import ROOT
from tests.pipeline.shop_records import change, mysql, selected_cases, shown

# the key's schema block alone tells how a day or bytes are written
KEYS = {
    "by_day": ({"type": "int32", "name": "io.debezium.time.Date", "field": "day"}, 19723, 19724),
    "by_tag": ({"type": "bytes", "field": "tag"}, "AQI=", "AQM="),
}
TYPES = {"by_day": {"day": "date"}, "by_tag": {"tag": "binary"}}
# by the names of the feeds: format and settings
FLATTENED = {"bare_deletes": ("debezium_smt", {})}
KEYED = {
    "bare_avro": ("debezium_avro", {"avro_schemas": "schemas"}),
    "bare_dtle": ("dtle", {}),
    "bare_flink": ("flink_cdc_debezium", {}),
    "bare_ticdc": ("ticdc_debezium", {}),
}
KEYLESS = {"bare_canal": ("flink_cdc_canal", {})}
# whose tables have another key than Kafka's records
OTHER_KEYS = {
    "bare_mail": ("debezium_json", {"key_columns": {"shop.by_mail": ["mail"]}}),
    "bare_unnamed": (
        "flink_cdc_debezium",
        {"key_columns": {"shop.by_mail": ["mail"]}, "table_name": "shop.by_mail"},
    ),
}
FEEDS = FLATTENED | KEYED | KEYLESS | OTHER_KEYS


def record(offset, key, value, topic="invented"):
    place = {"topic": topic, "partition": 0, "offset": offset, "timestamp": offset, "headers": []}
    texts = [one and json.dumps(one) for one in (key, value)]
    return place | dict(zip(("key", "value"), texts, strict=True))


def flattened():
    for table, (column, gone, kept) in KEYS.items():
        block = {"type": "struct", "fields": [column, {"type": "string", "field": "v"}]}
        for offset, (key, v) in enumerate([(gone, "a"), (kept, "b"), (gone, None)]):
            of_key = {"schema": {"type": "struct", "fields": [column]}}
            of_key |= {"payload": {column["field"]: key}}
            row = {"schema": block, "payload": {column["field"]: key, "v": v, "__op": "c"}}
            yield record(offset, of_key, v and row, f"shop.{table}")


def golden(format_name):
    """The first row with a key of the golden messages, the record that brings it, and one without a value under its key."""
    folder = ROOT / "tests" / "formats" / format_name
    records = {(one["topic"], one["offset"]): one for one in load_lines(folder / "messages.jsonl")}
    rows = load_lines(folder / "changes.jsonl")
    row = next(one for one in rows if one["row_key"] and one["after_image"])
    told = records[row["topic"], row["offset"]]
    of_row = json.dumps(dict(zip(row["key_columns"], row["row_key"], strict=True))).encode()
    bare = told | {"offset": 1, "key": wire_bytes(told, "key") or of_row, "value": None}
    told = told | {"offset": 0} | {name: wire_bytes(told, name) for name in ("key", "value")}
    return row, [told, bare]


def by_mail():
    """A lost delete; one that has come, and its tombstone again behind a row whose mail looks like the Kafka key."""
    told = [("c", 1, "a"), (None, 1, None), ("c", 2, "b"), ("d", 2, "b"), (None, 2, None)]
    for offset, (operation, key, mail) in enumerate([*told, ("c", 3, "2"), (None, 2, None)]):
        row, place = {"id": key, "mail": mail}, mysql("by_mail", 1, 100 + offset)
        sent = change(offset, operation, row, place)
        yield sent if operation else sent | {"value": None}


def unnamed():
    """Flink SQL names no table."""
    row = {"id": 1, "mail": "a"}
    yield record(0, {"id": 1}, {"before": None, "after": row, "op": "c"})
    yield record(1, {"id": 1}, None)


def model(feed, row=None, **told):
    """A gold model of the table that a golden row is of, or that is named."""
    if row:
        told = {name: row[f"{name}_name"] for name in ("database", "schema", "table")}
        told |= {"key": row["key_columns"], "columns": dict.fromkeys(row["key_columns"], "string")}
    listed = ", ".join(f"{name}={value!r}" for name, value in told.items() if value)
    return f"{{{{ cdc.current_state(feed={feed!r}, {listed}) }}}}\n"


def models_and_records(feed):
    """The gold models of a feed by their names, and what lands."""
    format_name, _ = FEEDS[feed]
    if feed in FLATTENED:
        tables = {
            table: model(feed, table=table, key=list(key), columns=key | {"v": "string"})
            for table, key in TYPES.items()
        }
        return tables, list(flattened())
    if feed in OTHER_KEYS:
        told = {"database": "shop", "table": "by_mail", "key": ["mail"]}
        sent = by_mail() if feed == "bare_mail" else unnamed()
        return {feed: model(feed, **told, columns={"mail": "string"})}, list(sent)
    row, sent = golden(format_name)
    return ({feed: model(feed, row)} if feed in KEYED else {}), sent


@pytest.fixture(scope="module")
def built(project, request):
    before, written = project.feeds, []
    schemas = ROOT / "tests" / "formats" / "debezium_avro" / "schemas"
    shutil.copytree(schemas, project.root / "schemas", dirs_exist_ok=True)
    for feed in sorted(selected_cases(request, "feed")):
        format_name, settings = FEEDS[feed]
        models, sent = models_and_records(feed)
        project.add_feed(feed, format=format_name, files=f"in/{feed}", **settings)
        for name, text in models.items():
            project.write_model(name, text)
        project.land(Feed(name=feed, format=format_name), 0, sent)
        written += models
    project.run("--select", "silver", *written)
    yield project
    project.set_feeds(before)
    for name in written:
        (project.root / "models" / "gold" / f"{name}.sql").unlink()


@pytest.mark.long
@pytest.mark.cases("bare_deletes")
def test_it_removes_the_row_whose_key_is_written_as_those_of_rows_are(built):
    """It has no schema block, but its key has one, as those of rows have."""
    for table in TYPES:
        found = built.sql(f"select v, _change.row_key as key from gold.{table}")
        assert [row.v for row in found] == ["b"], found


def outlived(project, table):
    """What the test reports of a gold table."""
    found = shown(project, "--inline", f"{{{{ cdc.test_newest_change_wins(ref('{table}')) }}}}")
    return [
        (*json.loads(row["row_key"]), row["offset"], row["finding"].split(",")[0]) for row in found
    ]


@pytest.mark.long
@pytest.mark.parametrize("feed", KEYED)
def test_a_row_whose_delete_was_lost_is_reported_by_the_tombstone(built, feed):
    (row,) = built.sql(f"select _change.row_key as key from gold.{feed}")
    assert outlived(built, feed) == [(*row.key, 1, "the row outlived its tombstone")]


@pytest.mark.parametrize(
    "feed", ["bare_mail", pytest.param("bare_unnamed", marks=pytest.mark.long)]
)
def test_it_is_reported_too_where_the_feed_names_another_key_than_kafka_has(built, feed):
    assert outlived(built, feed) == [("a", 1, "the row outlived its tombstone")]


@pytest.mark.long
@pytest.mark.parametrize("feed", KEYLESS)
def test_a_tombstone_whose_key_names_no_row_is_unknown(built, feed):
    found = built.sql(f"select * from silver.unknown_messages where feed = '{feed}'")
    assert [(row.offset, row.error.split(":")[0]) for row in found] == [
        (1, "a Kafka key without a value")
    ]
    assert found[0].raw_key is not None
