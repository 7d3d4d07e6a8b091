"""A bare number in a column that the feed's `encodings` call base64 is no row of any format that is JSON."""

import json
from ast import literal_eval

import pytest

from ingestion.dbt.macros import macros_of

from .conftest import HERE, MACROS, load_lines
from .reference import reference_rows
from .test_formats import FORMATS

# In Avro it is the type that tells a number from bytes.
AVRO = {"debezium_avro", "drs_avro", "dts_avro", "oms_avro"}
NEW_ROWS = {"insert", "upsert", "snapshot"}
BASE64 = {
    "connect_decimal(2)",
    "base64_binary",
    "base64_binary(16)",
    "base64_text",
    "little_endian_bits",
    "big_endian_bits",
}
REASON = "is written as a bare number, but the encodings of the feed say that it is base64"


def objects(document):
    """All objects of a document, the outermost first."""
    if isinstance(document, dict):
        yield document
    for inner in document.values() if isinstance(document, dict) else document:
        if isinstance(inner, dict | list):
            yield from objects(inner)


def with_value(text, image, column, value):
    """The text of a message whose row has this value in the column; None where no object is that row."""
    message = json.loads(text)
    for one in objects(message):
        if one.keys() - {"__light_type"} != image.keys():
            continue
        if all(isinstance(cell, dict) and "v" in cell for cell in one.values()):
            # TiCDC's open protocol
            one[column]["v"] = value
            return json.dumps(message, separators=(",", ":"))
        # a map of types has the same columns
        if any(str(one[name]) == image[name] for name in image):
            one[column] = value
            return json.dumps(message, separators=(",", ":"))
    return None


def new_row(format_name):
    """A record of one new row, the row, and the name of a column outside of its key."""
    for record in load_lines(HERE / format_name / "messages.jsonl"):
        if record.get("by_hand") or not record.get("value", "").startswith("{"):
            continue
        rows = reference_rows(format_name, record)
        image = rows[0]["after_image"] or {}
        columns = [name for name in image if name not in (rows[0]["key_columns"] or [])]
        if len(rows) == 1 and rows[0]["operation"] in NEW_ROWS and columns:
            if with_value(record["value"], image, columns[-1], 1):
                return record, rows[0], columns[-1]
    raise AssertionError(f"{format_name} has no golden row whose object is found")


def read(changes_of, format_name, value):
    """The row of that record with another value, where the feed says that the column is base64."""
    record, row, column = new_row(format_name)
    parts = (row["database_name"], row["schema_name"], row["table_name"])
    table = ".".join(part for part in parts if part)
    feed = record.get("feed", {}) | {"columns_in_base64": json.dumps([[table, column]])}
    text = with_value(record["value"], row["after_image"], column, value)
    (change,) = changes_of(format_name, [record | {"value": text, "feed": feed}])
    return change, table, column


@pytest.mark.families
@pytest.mark.parametrize("format_name", [name for name in FORMATS if name not in AVRO])
def test_a_bare_number_is_never_read_as_base64(format_name, changes_of):
    change, table, column = read(changes_of, format_name, 1234)
    assert (change["operation"], change["after_image"]) == ("unknown", None)
    assert change["error"].startswith(f"{column} of {table} {REASON}: ")


@pytest.mark.families
@pytest.mark.parametrize("format_name", [name for name in FORMATS if name not in AVRO])
def test_base64_that_looks_like_a_number_is_read(format_name, changes_of):
    change, _, column = read(changes_of, format_name, "1234")
    assert change["operation"] in NEW_ROWS
    assert change["after_image"][column] == "1234"


@pytest.fixture(scope="module")
def told(spark):
    """What a format sees of the `encodings` of a feed: its patterns of tables, each with a column."""

    def run(encodings):
        settings = {"format": "maxwell", "encodings": encodings}
        given = {
            "return": lambda value: value,
            "tojson": json.dumps,
            "feeds_with": lambda *_: ["x"],
            "feed_settings": lambda _: settings,
            "settings_without_meaning": lambda: [],
        }
        files = ("sql/quoted.sql", "project/feeds.sql")
        macros = macros_of("\n".join((MACROS / name).read_text() for name in files), given)
        # what a macro returns is text here
        listed = literal_eval(macros.encodings_in_base64())
        macros.encodings_in_base64 = lambda: listed
        (row,) = spark.sql(f"select feed_settings from {macros.feed_options('maxwell')}").collect()
        return json.loads(row.feed_settings.get("columns_in_base64", "[]"))

    return run


def test_a_feed_tells_its_format_which_columns_are_base64(told):
    encodings = {f"column {number}": encoding for number, encoding in enumerate(sorted(BASE64))}
    columns = [column for _, column in told({"shop.t": encodings})]
    assert columns == list(encodings)
    assert told({"shop.t": {"d": "epoch_days", "h": "hex_binary", "t": "text"}}) == []


def of_maxwell(value, patterns):
    """A record of Maxwell, of a feed that says of these columns that they are base64."""
    record = {"case": "", "topic": "t", "partition": 0, "offset": 0, "timestamp": 0, "headers": []}
    return record | {
        "value": json.dumps(value),
        "feed": {"columns_in_base64": json.dumps(patterns)},
    }


@pytest.mark.parametrize(
    ("encoded", "table", "is_meant"),
    [
        ("shop.t", "t", True),
        ("shop.t", "u", False),
        ("t", "t", True),
        ("s[a-z]+.t_[0-9]+", "t_12", True),
        ("s[a-z]+.t_[0-9]+", "t_x", False),
        ("shop.a$b", "a$b", True),
        ("sh.p.t", "t", False),
    ],
)
def test_a_table_is_meant_as_the_gold_model_names_it(told, parsed, encoded, table, is_meant):
    value = {"database": "shop", "table": table, "type": "insert", "data": {"id": 1, "n": 1234}}
    patterns = told({encoded: {"n": "connect_decimal(2)"}})
    (row,) = parsed("maxwell", [of_maxwell(value, patterns)]).collect()
    assert row.operation == ("unknown" if is_meant else "insert")


def test_a_number_beside_the_row_is_not_the_rows(parsed):
    value = {
        "database": "shop",
        "table": "t",
        "type": "insert",
        "xid": 1234,
        "data": {"xid": "1234"},
    }
    (row,) = parsed("maxwell", [of_maxwell(value, [["shop.t", "xid"]])]).collect()
    assert (row.operation, row.after_image) == ("insert", {"xid": "1234"})
