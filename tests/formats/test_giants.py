"""Messages of every format with a value too large for a file: read to the last character, or reported."""

import json
import re

import pytest

from .conftest import HERE, load_lines, wire_bytes
from .test_formats import FORMATS, ROWS, by_place, place

LONG = "x:1.5," * 1_400_000
NESTED = "[" * 900 + "]" * 900
READ = {
    "8 MB": (json.dumps(LONG), LONG),
    "900 levels": (NESTED, NESTED),
    "900 digits": ("7" * 900, "7" * 900),
}
REPORTED = {"1,100 levels": "[" * 1100 + "]" * 1100, "2,000 digits": "7" * 2000}


def a_value(format_name):
    """A golden record of one row in JSON, and a column of it whose word stands in the message once."""
    rows_of = by_place(load_lines(HERE / format_name / "changes.jsonl"))
    for record in load_lines(HERE / format_name / "messages.jsonl"):
        rows = [row for row in rows_of[place(record)] if row["operation"] in ROWS]
        message = (wire_bytes(record, "value") or b"").decode("utf-8", "replace")
        if len(rows) == 1 and rows[0]["after_image"] and message.startswith("{"):
            for column, word in rows[0]["after_image"].items():
                is_of_key = word in (rows[0]["row_key"] or [])
                if word and word.isalpha() and not is_of_key and message.count(f'"{word}"') == 1:
                    return record, rows[0]["operation"], column, word, message
    return None


def with_values(record, values):
    """Records like the one given, with other values at offsets of their own."""
    rest = {name: held for name, held in record.items() if not name.startswith("value")}
    return [rest | {"offset": offset, "value": value} for offset, value in enumerate(values)]


@pytest.mark.families
@pytest.mark.parametrize("format_name", [name for name in FORMATS if a_value(name)])
def test_giants_are_read_or_reported(format_name, changes_of):
    record, operation, column, word, message = a_value(format_name)
    giants = [written for written, _ in READ.values()] + list(REPORTED.values())
    records = with_values(record, [message.replace(f'"{word}"', giant) for giant in giants])
    rows = sorted(changes_of(format_name, records), key=place)
    assert [row["offset"] for row in rows] == list(range(len(records)))
    for row, (case, (_, text)) in zip(rows, READ.items(), strict=False):
        assert (row["operation"], row["error"]) == (operation, None), case
        assert row["after_image"][column] == text, case
    for row, case in zip(rows[len(READ) :], REPORTED, strict=True):
        assert (row["operation"], bool(row["error"])) == ("unknown", True), case


def test_only_binary_formats_are_without_giants():
    assert {name for name in FORMATS if not a_value(name)} == {"debezium_avro", "drs_avro"}


@pytest.mark.parametrize("format_name", ["canal_json", "debezium_json"])
def test_a_giant_that_is_cut_off_or_named_at_length_is_reported(format_name, changes_of):
    record, _, column, word, message = a_value(format_name)
    values = [
        message.replace(f'"{word}"', f'"{LONG}"')[:-2],
        re.sub(rf'"{column}"(\s*:\s*"{word}")', rf'"{"v" * 60_000}"\1', message),
    ]
    rows = changes_of(format_name, with_values(record, values))
    assert [(row["operation"], bool(row["error"])) for row in rows] == [("unknown", True)] * 2


def test_a_time_beyond_all_calendars_stops_nothing(changes_of):
    """Spark raises an overflow for milliseconds that are no instant, whatever the mode."""
    record, operation, _, _, message = a_value("canal_json")
    document = json.loads(message) | {"es": 2**63 - 1}
    (row,) = changes_of("canal_json", with_values(record, [json.dumps(document)]))
    assert (row["operation"], row["changed_at"]) == (operation, None)
