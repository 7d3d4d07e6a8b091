"""What a message writes is in gold as the value it is, or NULL and a misfit with its text; never another value."""

import base64
import json
from decimal import Decimal

import pytest

from ingestion.config.feeds import Feed
from tests.pipeline.shop_records import debezium_record, shown

pytestmark = pytest.mark.long

MODELS = {
    "numeric": """{{ cdc.current_state(
    feed='valued', database='shop', table='numeric', key=['id', 'n'],
    columns={'id': 'int', 'n': 'decimal(38,0)', 'm': 'decimal(10,2)', 'day': 'date', 'bits': 'int', 'took': 'string', 'body': 'binary'}
) }}
""",
    "daily": """{{ cdc.current_state(
    feed='valued', database='shop', table='daily', key=['day'], columns={'day': 'date', 'v': 'string'}
) }}
""",
    "pictured": """{{ cdc.current_state(
    feed='valued', database='shop', table='pictured', key=['id'],
    columns={'id': 'int', 'title': 'string', 'photo': 'binary'}
) }}
""",
    "cells": """{{ cdc.current_state(
    feed='valued', database='shop', table='cells', key=['id'], columns={'id': 'int', 'name': 'string'}
) }}
""",
}
DECIMAL = "org.apache.kafka.connect.data.Decimal"
COLUMNS = [
    {"type": "int32", "field": "id"},
    {"type": "bytes", "name": DECIMAL, "parameters": {"scale": "0"}, "field": "n"},
    {"type": "bytes", "name": DECIMAL, "parameters": {"scale": "2"}, "field": "m"},
    {"type": "int32", "name": "io.debezium.time.Date", "field": "day"},
    {
        "type": "bytes",
        "name": "io.debezium.data.Bits",
        "parameters": {"length": "3"},
        "field": "bits",
    },
    {"type": "int64", "name": "io.debezium.time.MicroTime", "field": "took"},
    {"type": "bytes", "field": "body"},
]
SCHEMA = {"type": "struct", "fields": [{"type": "struct", "field": "after", "fields": COLUMNS}]}
DAILY = {
    "type": "struct",
    "fields": [{"type": "struct", "field": "after", "fields": [COLUMNS[3]]}],
}
PLACEHOLDER = b"__debezium_unavailable_value"


def source(table, connector="mysql"):
    told = {"connector": connector, "db": "shop", "table": table, "snapshot": "false", "ts_ms": 1}
    return told | {"server_id": 1, "file": "bin.000001", "pos": 4, "row": 0}


def in_base64(number):
    return base64.b64encode(number.to_bytes(12, "big", signed=True)).decode()


# n, m, what m is; the first is written with decimal.format=NUMERIC, the second without
NUMBERS = [
    (12, 1.5, "1.50"),
    (1234, 1234, "1234.00"),
    (12345678, -3, "-3.00"),
    (10**30 + 7, None, None),
    (int.from_bytes(base64.b64decode("1234"), "big", signed=True), in_base64(150), "1.50"),
    (int.from_bytes(base64.b64decode("12345678"), "big", signed=True), in_base64(-3), "-0.03"),
]
QUOTED = {NUMBERS[4][0]: "1234", NUMBERS[5][0]: "12345678"}
MISFITS = [
    {"day": 1590315269, "bits": "AQ==", "took": 1, "body": "AQI="},
    {"day": 1, "bits": "CA==", "took": 1, "body": "AQI="},
    {"day": 1, "bits": "AQ==", "took": 1590315269000000, "body": "AQI="},
    {"day": 1, "bits": "AQ==", "took": 1, "body": "cafe00"},
]


def records():
    rows = [{"n": QUOTED.get(n, n), "m": m} for n, m, _ in NUMBERS]
    rows += [{"n": 500 + at, "m": 0} | row for at, row in enumerate(MISFITS)]
    for offset, row in enumerate(rows):
        # a key compared as it is written: bare 1234 and 1234 in base64 are told apart by id
        record = debezium_record(offset, "c", {"id": offset} | row, source("numeric"), SCHEMA)
        yield record | {"key": json.dumps({"id": offset, "n": row["n"]})}
    # a row, and the tombstone of its delete, which was compacted away
    for offset in range(2):
        row = {"id": 1, "day": 19723, "v": "kept"}
        record = debezium_record(offset, "c", row, source("daily"), DAILY) | {
            "key": '{"day":19723}'
        }
        yield record | ({"value": None} if offset else {})
    for offset, photo in enumerate(("cafe00ff", PLACEHOLDER.hex(), PLACEHOLDER.hex().upper())):
        row = {"id": 1, "title": str(offset), "photo": photo}
        yield debezium_record(
            offset, "cuu"[offset], row, source("pictured", "oracle") | {"scn": str(offset)}
        )
    for offset, connector in enumerate(("cassandra", "vitess")):
        cell = {"value": 1, "deletion_ts": None, "set": True}
        yield debezium_record(offset, "c", {"id": cell, "name": cell}, source("cells", connector))


@pytest.fixture(scope="module")
def valued(shop):
    before = shop.feeds
    encodings = {"shop.pictured": {"photo": "hex_binary"}}
    shop.add_feed("valued", format="debezium_json", files="in/valued", encodings=encodings)
    for name, text in MODELS.items():
        shop.write_model(name, text)
    tested = shop.root / "models" / "gold" / "valued.yml"
    tests = [{"name": "daily", "data_tests": ["newest_change_wins"]}]
    tested.write_text(json.dumps({"version": 2, "models": tests}))
    shop.land(Feed(name="valued", format="debezium_json"), 0, list(records()))
    shop.run("--select", "silver", *MODELS)
    yield shop
    shop.set_feeds(before)
    tested.unlink()
    for name in MODELS:
        (shop.root / "models" / "gold" / f"{name}.sql").unlink()


def test_a_number_is_itself_whether_it_stands_bare_or_in_base64(valued):
    rows = valued.sql("select n, m from gold.numeric where n not between 500 and 600")
    assert {row.n: row.m for row in rows} == {
        Decimal(n): text and Decimal(text) for n, _, text in NUMBERS
    }


def test_a_row_that_outlived_its_tombstone_is_reported_where_its_key_is_decoded(valued):
    (found,) = shown(valued, "--select", "newest_change_wins_daily_")
    assert (found["row_key"], found["offset"]) == ('["2024-01-01"]', 1)
    assert found["finding"].startswith("the row outlived its tombstone")


def test_what_an_encoding_cannot_read_is_null_and_a_misfit_with_its_text(valued):
    rows = valued.sql("select * from gold.numeric where n between 500 and 600 order by n")
    for row, sent, name in zip(rows, MISFITS, ("day", "bits", "took", "body"), strict=True):
        found = [(one.column_name, one.value) for one in row._change.misfits]
        assert (row[name], found) == (None, [(name, str(sent[name]))])
        others = {"day", "bits", "took", "body"} - {name}
        assert all(row[other] is not None for other in others)


def test_a_blob_that_was_not_sent_keeps_its_value_in_hexadecimal_digits_too(valued):
    (row,) = valued.sql("select title, hex(photo) as photo from gold.pictured")
    assert (row.title, row.photo) == ("2", "CAFE00FF")


def test_rows_of_a_connector_that_is_not_known_are_unknown_with_its_name(valued):
    assert valued.sql("select * from gold.cells") == []
    rows = valued.sql("select operation, error from silver.changes where table_name = 'cells'")
    assert [row.operation for row in rows] == ["unknown"] * 2
    assert all("the connector is " in row.error for row in rows)


CLOCKED = """{{{{ {macro}(
    feed='clocked', database='shop', table='clocked', {key}
    columns={{'id': 'int', 'moment': 'timestamp', 'clock': 'timestamp_ntz', 'day': 'date', 'text': 'string'}}
) }}}}
"""


def streamx_record(offset, **row):
    """A row of StreamX: all its columns but the key are DATE."""
    columns = [{"name": name, "type": "LONG" if name == "id" else "DATE"} for name in row]
    source = {"dbType": "mysql", "dbName": "shop", "tableName": "clocked"}
    message = {
        "schema": {"dataColumn": columns, "primaryKey": ["id"], "source": source},
        "payload": {"after": {"dataColumn": row}, "op": "INSERT", "sequenceId": str(offset + 1)},
    }
    return {"topic": "clocked", "partition": 0, "offset": offset, "timestamp": 1731661114000,
            "headers": [], "key": None, "value": json.dumps(message)}  # fmt: skip


def test_an_instant_of_streamx_is_the_clock_of_the_sources_zone_and_its_day(project):
    """10:14:29 in Shanghai, and midnight there, which is the day before in UTC; in all kinds of gold tables."""
    before = project.feeds
    feed = Feed(name="clocked", format="streamx")
    project.add_feed("clocked", format="streamx", files="in/clocked", time_zone="Asia/Shanghai")
    names = {"clocked": "current_state", "clocked_rows": "current_rows", "clocked_ever": "history"}
    for name, macro in names.items():
        key = "" if macro == "current_rows" else "key=['id'],"
        project.write_model(name, CLOCKED.format(macro=macro, key=key))
    clock, midnight = 1590286469000, 1732204800000
    row = {"id": 1, "moment": clock, "clock": clock, "day": midnight, "text": clock}
    project.land(feed, 0, [streamx_record(0, **row)])
    project.run("--select", "silver", *names)
    found = {
        name: project.sql(
            "select unix_seconds(moment) as moment, cast(clock as string) as clock,"
            f" cast(day as string) as day, text, size(_change.misfits) as misfits from gold.{name}"
        )
        for name in names
    }
    project.set_feeds(before)
    for name in names:
        (project.root / "models" / "gold" / f"{name}.sql").unlink()
    told = ("2020-05-24 10:14:29", "2024-11-22", "2020-05-24 10:14:29 UTC+08:00:00")
    for name, rows in found.items():
        assert [tuple(one) for one in rows] == [(clock // 1000, *told, 0)], name
