"""Golden tests: messages.jsonl of a format becomes exactly changes.jsonl, every column of the change contract."""

import json
import random
import re

import pytest
import yaml

from tests.formats.conftest import read_as

from .conftest import HERE, load_lines
from .reference import COLUMNS, reference_rows

FORMATS = sorted(path.parent.name for path in HERE.glob("*/messages.jsonl"))
ROWS = ("insert", "update", "delete", "upsert", "snapshot", "update_before")
# What the sample files' notes call one operation may be two rows: an update that moves a key.
HALVES = {"update": {"update", "delete", "upsert"}}
# Formats whose rows look like canal's: only the feed tells them apart.
UNDECIDABLE = {
    "canal_json_cloudcanal",
    "canal_json_dts",
    "canal_json_ticdc",
    "drs_json",
    "drs_json_c",
}
# Formats whose text bears the signs of another one.
SIGNS_OF = {
    "ticdc_maxwell": "maxwell",
    "oms_avro": "dts_avro",
    "oms_debezium_flatten": "oms_debezium",
    "oms_debezium_smt": "debezium_smt",
}
# Formats whose Kafka key names the row.
KEYED_BY_KAFKA = {
    *("debezium_avro", "debezium_json", "debezium_smt", "oms_debezium_smt"),
    *("dtle", "flink_cdc_debezium", "ticdc_debezium"),
}
# What _bad_input.jsonl expects of a JSON text, in operations of the feed it is written for.
BAD_INPUT = {
    "quarantine": {"unknown"},
    "tombstone_or_quarantine": {"unknown", "tombstone"},
    "accept_or_quarantine": {"unknown", *ROWS},
}


def place(row):
    """Where a record stands."""
    return row["topic"], row["partition"], row["offset"]


def row_place(row):
    """Where a row stands."""
    return (*place(row), row["row_index"])


def by_place(rows):
    """Rows of each record."""
    found = {}
    for row in rows:
        found.setdefault(place(row), []).append(row)
    return found


def differences(records, expected, got):
    """One readable line per cell that is not as expected."""
    cases = {place(record): record["case"] for record in records}
    expected = {row_place(row): row for row in expected}
    got = {row_place(row): row for row in got}
    lines = []
    for where in sorted({*expected, *got}):
        label = f"{cases[where[:3]]} [{where[0]} {where[1]}:{where[2]} row {where[3]}]"
        if where not in got or where not in expected:
            side, row = (
                ("missing", expected[where]) if where in expected else ("not expected", got[where])
            )
            lines.append(f"{label} {side}: {row['operation']} {row['error'] or ''}")
            continue
        for column in COLUMNS:
            want, have = expected[where][column], got[where][column]
            if isinstance(want, dict) and isinstance(have, dict):
                cells = [
                    (f"{column}.{k}", want.get(k, "absent"), have.get(k, "absent"))
                    for k in {**want, **have}
                ]
            else:
                cells = [(column, want, have)]
            lines += [
                f"{label} {name}: expected {a!r:.300}, got {b!r:.300}"
                for name, a, b in cells
                if a != b
            ]
    return lines


@pytest.fixture(scope="module", params=FORMATS)
def format_name(request):
    """Each format that has golden messages."""
    return request.param


@pytest.fixture(scope="module")
def records(format_name):
    """The golden messages."""
    return load_lines(HERE / format_name / "messages.jsonl")


@pytest.fixture(scope="module")
def rows(format_name, records, changes_of):
    """What the macro makes of the golden messages, read once."""
    return changes_of(format_name, records)


def test_messages_become_exactly_the_expected_rows(format_name, records, rows):
    expected = load_lines(HERE / format_name / "changes.jsonl")
    assert len({row_place(row) for row in expected}) == len(expected), (
        "a row occurs twice in the file"
    )
    lines = differences(records, expected, rows)
    assert not lines, f"{len(lines)} cells differ:\n" + "\n".join(lines[:60])


def test_the_reference_reads_the_messages_alike(format_name, records):
    expected = by_place(load_lines(HERE / format_name / "changes.jsonl"))
    for record in records:
        if not record.get("by_hand"):
            lines = differences(
                [record], expected[place(record)], reference_rows(format_name, record)
            )
            assert not lines, "\n".join(lines)


def test_rows_have_the_columns_and_types_of_the_contract_in_its_order(format_name, records, parsed):
    models = yaml.safe_load((HERE.parents[1] / "models/silver/_silver__models.yml").read_text())
    contract = [(column["name"], column["data_type"]) for column in models["models"][0]["columns"]]
    assert parsed(format_name, records[:1]).dtypes == contract
    assert sorted(COLUMNS) == sorted(name for name, _ in contract)


@pytest.mark.every_format
@pytest.mark.parametrize("name", ["canal_json", "maxwell"])
def test_silver_keeps_of_the_row_before_an_update_what_its_message_tells(name, parsed, changes_of):
    """silver.changes shows the rest of it, from the row after."""
    records = load_lines(HERE / name / "messages.jsonl")
    shown = {row_place(row): row for row in changes_of(name, records)}
    rows = [row.asDict(recursive=True) for row in parsed(name, records).collect()]
    # the others are not text
    told = {place(record): record["value"] for record in records if "value" in record}
    updates = [row for row in rows if row["operation"] == "update" and place(row) in told]
    kept = [row for row in updates if row["is_before_complete"]]
    assert any(len(row["before_image"]) < len(row["after_image"]) for row in kept)
    for row in kept:
        old = json.loads(told[place(row)])["old"]
        old = old[row["row_index"] // 2] if isinstance(old, list) else old
        assert row["before_image"].keys() == old.keys()
        assert (
            shown[row_place(row)]["before_image"].keys() == row["after_image"].keys() | old.keys()
        )


def test_numbers_that_others_get_wrong_are_among_the_golden_ones(format_name):
    images = [
        row[side] or {}
        for row in load_lines(HERE / format_name / "changes.jsonl")
        for side in ("before_image", "after_image")
    ]
    texts = {text for image in images for text in image.values() if text is not None}
    # more digits than a decimal, a trailing zero, beyond a double, a signed zero, the largest unsigned number
    for number in (r"-?\d{40}", r"1\.10", r"1[eE]\+?400", r"-0\.0", "18446744073709551615"):
        assert any(re.fullmatch(number, text) for text in texts), number


def test_every_record_gives_at_least_one_row(records, rows):
    assert {place(record) for record in records} == {place(row) for row in rows}


def test_no_row_is_doubled(rows):
    assert len({row_place(row) for row in rows}) == len(rows)


def test_operation_is_never_null_and_error_says_why_a_row_is_unknown(rows):
    assert [row for row in rows if row["operation"] is None] == []
    assert [
        row for row in rows if (row["operation"] == "unknown") != (row["error"] is not None)
    ] == []


def test_operations_are_those_of_the_sample_notes(records, rows):
    found = by_place(rows)
    for record in records:
        if "expect" in record:
            operations = {row["operation"] for row in found[place(record)]}
            assert operations <= HALVES.get(record["expect"], {record["expect"]}), record["case"]


def test_bad_input_is_handled_as_its_notes_say(format_name, records, rows):
    found = by_place(rows)
    for record in records:
        expect = record.get("bad_input")
        if expect is None:
            continue
        is_of_format = ('"op"' in record["value"]) == (format_name == "debezium_json")
        if not is_of_format and expect not in BAD_INPUT:
            continue
        operations = {row["operation"] for row in found[place(record)]}
        assert operations <= BAD_INPUT.get(expect, set(ROWS)), record["case"]


def test_only_rows_of_a_table_and_tombstones_have_a_key(rows):
    with_key = {row["operation"] for row in rows if row["key_columns"] or row["row_key"]}
    assert with_key <= {*ROWS, "tombstone"}
    assert [
        row for row in rows if row["row_key"] and len(row["row_key"]) != len(row["key_columns"])
    ] == []


def test_a_record_without_a_value_has_the_key_of_its_row_or_is_unknown(
    format_name, records, rows, changes_of
):
    """On a compacted topic it may be all that is left of a delete; no such topic takes one without a Kafka key."""
    found, is_keyed = by_place(rows), read_as(format_name) in KEYED_BY_KAFKA
    record = next(
        one
        for one in records
        if found[place(one)][0]["operation"] in ("insert", "snapshot", "upsert")
        and "key_columns" not in one.get("feed", {})
        and (one.get("key") or one.get("key_base64") or not is_keyed)
    )
    bare = {name: told for name, told in record.items() if name != "value_base64"}
    bare |= {"offset": 0, "value": None} | ({} if is_keyed else {"key": '{"id":1}'})
    keyless = {name: told for name, told in bare.items() if name != "key_base64"}
    keyless |= {"offset": 1, "key": None}
    gone, nothing = sorted(changes_of(format_name, [bare, keyless]), key=row_place)
    row = found[place(record)][0] if is_keyed else {"key_columns": None, "row_key": None}
    assert gone["operation"] in (("tombstone", "delete") if is_keyed else ("unknown",))
    assert (gone["key_columns"], gone["row_key"]) == (row["key_columns"], row["row_key"])
    assert is_keyed or gone["error"].startswith("a Kafka key without a value")
    assert nothing["operation"] in ("tombstone", "unknown")
    assert nothing["row_key"] is None


def test_no_placeholder_stands_in_an_image(rows):
    texts = [
        text
        for row in rows
        for name in ("before_image", "after_image")
        for text in (row[name] or {}).values()
    ]
    assert [
        text
        for text in texts
        if text in ("__debezium_unavailable_value", '["__debezium_unavailable_value"]')
    ] == []


@pytest.mark.families
def test_a_row_depends_on_its_record_alone(format_name, records, rows, changes_of):
    """In another order and in other company the records give the same rows."""
    alone = by_place(rows)
    shuffled = random.Random(20).sample(records, len(records))
    for batch in (shuffled[: len(records) // 2], shuffled[len(records) // 2 :], shuffled[:1]):
        lines = differences(
            batch,
            [row for record in batch for row in alone[place(record)]],
            changes_of(format_name, batch),
        )
        assert not lines, "\n".join(lines[:20])


# Order --------------------------------------------------------------------------------------------


def trap_source(trap, values):
    """The source block of a trap's record."""
    source = {
        "connector": trap["format"].removeprefix("debezium_"),
        "db": "d",
        "schema": "s",
        "table": "t",
    }
    values = values if isinstance(values, list) else [values]
    if trap["field"] == "source.sequence":
        return source | {"connector": "postgresql", "sequence": json.dumps(values)}
    fields = trap["field"].removeprefix("source.").split(",")
    return source | {"pos": 4, "row": 0} | dict(zip(fields, values, strict=True))


def trap_records(traps):
    """Two records of each trap, and Kafka brings the later change first: only the position can order them."""
    records = []
    for number, trap in enumerate(traps):
        for offset, half in ((1, "earlier"), (0, "later")):
            message = {"op": "c", "after": {"id": 1}, "ts_ms": 1}
            message["source"] = trap_source(trap, trap[half])
            if "total_order" in trap:
                message["transaction"] = {"id": "t", "total_order": trap["total_order"][1 - offset]}
            records.append(
                {"case": trap["rule"], "topic": f"trap-{number}", "partition": 0, "timestamp": 0, "headers": [],
                 "offset": offset, "key": '{"id":1}', "value": json.dumps(message)}
            )  # fmt: skip
    return records


@pytest.fixture(scope="module")
def trapped(spark, parsed):
    """The traps, and by topic the sequences of their earlier and their later change."""
    traps = load_lines(HERE / "order_traps.jsonl")
    parsed("debezium_json", trap_records(traps)).createOrReplaceTempView("traps")
    pairs = spark.sql(
        """
        select earlier.topic, earlier.change_sequence as low, later.change_sequence as high
        from traps as earlier inner join traps as later on earlier.topic = later.topic
        where earlier.offset = 1 and later.offset = 0
        """
    ).collect()
    return traps, {pair.topic: (pair.low, pair.high) for pair in pairs}


def test_change_sequence_orders_as_the_source_does(trapped):
    traps, sequences = trapped
    decided = [number for number, trap in enumerate(traps) if trap.get("is_decided", True)]
    wrong = [traps[n]["rule"] for n in decided if not lower(*sequences[f"trap-{n}"])]
    assert len(decided) > 8
    assert wrong == []


def test_numbers_that_prove_no_order_leave_it_to_the_offset(trapped):
    traps, sequences = trapped
    open_ones = [number for number, trap in enumerate(traps) if not trap.get("is_decided", True)]
    wrong = [traps[n]["rule"] for n in open_ones if not lower(*sequences[f"trap-{n}"][::-1])]
    assert len(open_ones) >= 5
    assert wrong == []


def lower(low, high):
    """Whether a change_sequence stands below another one, compared field by field."""
    return tuple(low) < tuple(high)


# Other formats' messages --------------------------------------------------------------------------


def test_a_text_is_named_by_its_own_format_or_a_relative(spark, macros):
    signs = load_lines(HERE / "signs.jsonl")
    frame = spark.createDataFrame([(sign["text"],) for sign in signs], "text string")
    got = [name for (name,) in frame.selectExpr(f"{macros.looks_like('text')} as name").collect()]
    wrong = [
        f"{sign['format']}: expected {sign['looks_like']}, got {name}: {sign['text']:.200}"
        for sign, name in zip(signs, got, strict=True)
        if name != sign["looks_like"]
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.families
def test_a_message_of_its_own_format_is_not_named_otherwise(spark, macros, format_name, records):
    texts = [
        r["value"]
        for r in records
        if r.get("value") and r["case"].startswith(("captured", format_name, "debezium"))
    ]
    frame = spark.createDataFrame([(text,) for text in texts], "text string")
    got = {name for (name,) in frame.selectExpr(f"{macros.looks_like('text')} as name").collect()}
    # several canal-like formats cannot be told apart
    family = {format_name, SIGNS_OF.get(format_name, format_name), read_as(format_name)}
    family |= {"canal_json"} if format_name in UNDECIDABLE else set()
    assert got - {None} <= family
    # a binary format has no message that could be named
    assert got - {None} or format_name in UNDECIDABLE or not any(texts)
