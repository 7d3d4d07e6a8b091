"""Damaged messages of every format: none stops the run, none disappears, none is misread without a word.

The damage is random but the same in every run; FUZZ_SEED and FUZZ_RECORDS choose another and more of it (make test-long).
What fails is cut down to one record, and that to less text that still fails, and printed.
"""

import base64
import copy
import json
import os
import random
import re

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from .conftest import HERE, load_lines, wire_bytes
from .test_formats import FORMATS, place, row_place

SEED = int(os.environ.get("FUZZ_SEED", "20"))
RECORDS = int(os.environ.get("FUZZ_RECORDS", "150"))
# A value that Spark's own parser or arithmetic may trip over, in place of any other.
ODD = [None, True, "", "x", "null", "NaN", 0, -1, 1.5, 10**40, 2**63 - 1, -(2**63), 2**64, 1e300, [], {}, [[]], [None],
       [{}], {"a": None}, {"": ""}, [1, "a", {"b": [2]}], "9" * 400, "\u0000", "\ud83d", "é\u2028", "__debezium_unavailable_value",
       "-9223372022400000", "2024-13-45", "0000-00-00", "12345@67890", "a.b.c.d", "\\", "'", "`", "/*", "AAAA"]  # fmt: skip
NOISE = [
    b"",
    b"{",
    b"}",
    b'"',
    b",",
    b"\\",
    b"\x00",
    b"\xff",
    b"[",
    b":",
    b" ",
    b"\xef\xbb\xbf",
    b"1e999",
]
OPERATIONS = {
    "insert", "update", "delete", "upsert", "snapshot", "update_before", "truncate", "schema_change", "heartbeat",
    "transaction_begin", "transaction_end", "tombstone", "ignored", "unknown",
}  # fmt: skip
WITH_A_ROW_AFTER = {"insert", "update", "upsert", "snapshot"}
CHANGES = WITH_A_ROW_AFTER | {"delete", "update_before"}


def paths(document, here=()):
    """The way to every value of a document."""
    inner = document.items() if isinstance(document, dict) else enumerate(document)
    for step, value in inner:
        yield (*here, step)
        if isinstance(value, (dict, list)):
            yield from paths(value, (*here, step))


def place_of(document, way):
    """What holds the value at the end of a way, and under which name or number."""
    *steps, last = way
    for step in steps:
        document = document[step]
    return document, last


def change_structure(chance, text):
    """One to three values of a JSON document replaced, removed, renamed or put elsewhere."""
    try:
        document = json.loads(text)
    except ValueError:
        return text
    for _ in range(chance.randint(1, 3)):
        ways = list(paths(document)) if isinstance(document, (dict, list)) else []
        if not ways:
            break
        parent, last = place_of(document, chance.choice(ways))
        kind = chance.randrange(4)
        if kind == 0:
            del parent[last]
        elif kind == 1 and isinstance(parent, dict):
            parent[chance.choice([last.upper(), last + "x", "", "schema", "payload"])] = parent.pop(
                last
            )
        elif kind == 2 and isinstance(parent, list):
            parent.extend(copy.deepcopy(parent[last]) for _ in range(chance.randint(1, 3)))
        else:
            parent[last] = copy.deepcopy(chance.choice(ODD))
    written = json.dumps(document, ensure_ascii=chance.random() < 0.5)
    return written.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def change_bytes(chance, content):
    """A cut, an insertion or a changed byte anywhere."""
    where = chance.randint(0, len(content))
    kind = chance.randrange(4)
    if kind == 0:
        return content[:where]
    if kind == 1:
        return content[:where] + chance.choice(NOISE) + content[where:]
    if kind == 2:
        return content[:where] + bytes([chance.randrange(256)]) + content[where + 1 :]
    return content[:where] + content[where : where + chance.randint(1, 40)] + content[where:]


def repeat_a_name(chance, text):
    """The JSON text with one name of one of its objects twice."""
    document = json.loads(text)
    ways = [way for way in paths(document) if isinstance(way[-1], str)]
    if not ways:
        return text
    parent, name = place_of(document, chance.choice(ways))
    parent["\ue000"] = chance.choice([parent[name], "x", None])
    return json.dumps(document, ensure_ascii=False).replace('"\ue000"', json.dumps(name))


def with_repeated_names(chance, record, offset):
    """The record with a name twice in its value, its key or both, and a key of other columns at times."""
    changed = record | {"topic": "fuzz", "partition": 0, "offset": offset}
    if chance.random() < 0.7:
        changed["value"] = repeat_a_name(chance, record["value"])
    if record.get("key") and chance.random() < 0.3:
        changed["key"] = repeat_a_name(chance, record["key"])
    if changed.get("key") and chance.random() < 0.5:
        changed["key"] = re.sub(r'"(\w+)(?=":)', r'"other_\1', changed["key"])
    return changed


def damaged(chance, record, offset):
    """The record with its value damaged, at times its key as well."""
    changed = {name: record[name] for name in ("timestamp", "headers")}
    changed |= {"case": record["case"], "topic": "fuzz", "partition": 0, "offset": offset}
    changed |= {"feed": record["feed"]} if "feed" in record else {}
    for field, likely in (("value", 1.0), ("key", 0.3)):
        content = wire_bytes(record, field)
        if content is not None and chance.random() < likely:
            if "value_base64" not in record and chance.random() < 0.7:
                content = change_structure(chance, content.decode("utf-8", "replace")).encode(
                    "utf-8", "replace"
                )
            else:
                content = change_bytes(chance, content)
        if content is not None:
            changed[f"{field}_base64"] = base64.b64encode(content).decode()
    return changed


def complaint(format_name, records, changes_of):
    """What is wrong with the rows that the records become; None if nothing is."""
    try:
        rows = changes_of(format_name, records)
    except (PySparkException, Py4JJavaError) as error:
        return f"the run stops: {str(error)[:300]}"
    if {place(row) for row in rows} != {place(record) for record in records}:
        return "a record disappears"
    if len({row_place(row) for row in rows}) != len(rows):
        return "a row is doubled"
    return next(filter(None, map(complaint_of_row, rows)), None)


def complaint_of_row(row):
    """What is wrong with one row of the contract, whatever its message said; None if nothing is."""
    operation, columns = row["operation"], len(row["key_columns"] or [])
    if operation not in OPERATIONS:
        return f"the operation is {operation}"
    if (operation == "unknown") != bool(row["error"]):
        return f"a row is {operation}, but its error is {row['error']}"
    if any(len(row[key] or []) not in (0, columns) for key in ("row_key", "previous_row_key")):
        return "a key has not the columns that it names"
    if [] in (row["row_key"], row["previous_row_key"], row["key_columns"]):
        return "a key has no column"
    if operation not in CHANGES:
        return None
    position = row["change_sequence"]["position"]
    if row["order_scope"] not in ("position", "offset") or position is None or None in position:
        return f"{operation} without an order: {row['order_scope']}, {position}"
    if (operation in WITH_A_ROW_AFTER) != (row["after_image"] is not None):
        return f"{operation} with {row['after_image']} after it"
    if operation not in WITH_A_ROW_AFTER and row["before_image"] is row["row_key"] is None:
        return f"{operation} of no row"
    return None


def shrunk(format_name, records, changes_of):
    """One record that still fails, its value without each half, quarter and eighth that it fails without."""
    while len(records) > 1:
        half = records[: len(records) // 2]
        records = half if complaint(format_name, half, changes_of) else records[len(half) :]
        if not complaint(format_name, records, changes_of):
            return "the records fail together only"
    (record,) = records
    content = wire_bytes(record, "value")
    size = len(content) // 2
    # each try plans the statement anew
    while size > len(content) // 16:
        for start in range(0, len(content), size):
            shorter = content[:start] + content[start + size :]
            smaller = record | {"value_base64": base64.b64encode(shorter).decode()}
            if complaint(format_name, [smaller], changes_of):
                content, record = shorter, smaller
                break
        else:
            size //= 2
    return f"from {record['case']!r}: key {wire_bytes(record, 'key')!r}, value {content!r}"


def check(format_name, damage, whole, changes_of):
    """Damage many of the records, each chosen by chance, and complain of what they become."""
    chance = random.Random(f"{SEED} {format_name}")
    records = [damage(chance, chance.choice(whole), offset) for offset in range(RECORDS)]
    wrong = complaint(format_name, records, changes_of)
    assert wrong is None, f"{wrong}\n{shrunk(format_name, records, changes_of)}"


@pytest.mark.families
@pytest.mark.parametrize("format_name", FORMATS)
def test_damage_stops_nothing_and_hides_nothing(format_name, changes_of):
    whole = [
        record
        for record in load_lines(HERE / format_name / "messages.jsonl")
        if record["case"].startswith((format_name, "captured", "debezium_"))
        and wire_bytes(record, "value")
    ]
    check(format_name, damaged, whole, changes_of)


def is_object(text):
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


# Spark stops where it puts together a map in which a key occurs twice.
@pytest.mark.families
@pytest.mark.parametrize("format_name", FORMATS)
def test_a_name_that_occurs_twice_stops_nothing(format_name, changes_of):
    whole = [
        record
        for record in load_lines(HERE / format_name / "messages.jsonl")
        if is_object(record.get("value") or "") and is_object(record.get("key") or "{}")
    ]
    if not whole:
        pytest.skip("binary messages name no columns")
    check(format_name, with_repeated_names, whole, changes_of)
