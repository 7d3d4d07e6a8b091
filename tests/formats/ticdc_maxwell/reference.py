"""What a record of TiCDC's Maxwell must become, in plain Python: a second reading of docs/formats/ticdc_maxwell.md."""

import hashlib
import re

from tests.formats.maxwell.reference import STATEMENTS, seconds, statement
from tests.formats.reference import (
    Bad,
    base_row,
    field,
    image,
    key_of,
    millis,
    read_document,
    sequence,
    whole,
    wire_bytes,
    wire_text,
    with_relative,
    without_value,
)


def rows(record):
    """Rows of one record of TiCDC: of each object that lies in its value."""
    raw = wire_bytes(record, "value")
    try:
        parts = re.split(r'(?<=\})(?=\{"database":)', raw.decode("utf-8"))
        parts = [part.encode() for part in parts]
    except (AttributeError, UnicodeDecodeError):
        parts = [raw]
    return [row for number, part in enumerate(parts) for row in rows_of_part(record, part, number)]


def rows_of_part(record, raw, number):
    """Rows of one object."""
    row = sequence(base_row(record, "ticdc_maxwell") | {"row_index": 2 * number})
    text = "" if raw is None else raw.decode("utf-8", "replace")
    message = {}
    try:
        if raw is not None:
            message, text = read_document(raw)
            row = head(row, message)
        if record.get("load_error"):
            raise Bad(record["load_error"])
        if raw is None:
            return [without_value(row, wire_bytes(record, "key"))]
        return rows_of_message(row, message, record.get("feed", {}))
    except Bad as reason:
        is_maxwells = '"type":"bootstrap-' in text
        error = with_relative(str(reason), text, "ticdc_maxwell")
        error += "; this looks like maxwell" if is_maxwells else ""
        return [row | {"operation": "unknown", "error": error}]


def head(row, message):
    """The row with what a message says apart from its images."""
    kind, ts, definition = (field(message, name) for name in ("type", "ts", "def"))
    row = row | {
        "source_operation": kind,
        "source_type": "tidb",
        "database_name": field(message, "database") or None,
        "table_name": field(message, "table") or None,
        "transaction_id": field(message, "xid"),
        "schema_id": definition and hashlib.md5(definition.encode()).hexdigest(),
        "schema_text": definition,
    }
    if kind in STATEMENTS and whole(ts) is not None and abs(whole(ts)) < 2**63:
        row["changed_at"] = millis(str(whole(ts) >> 18))
    elif kind in ("insert", "update", "delete"):
        row["changed_at"] = seconds(ts)
    return row


def rows_of_message(row, message, options):
    """Rows of a message that is JSON."""
    kind = row["source_operation"]
    if kind is None:
        raise Bad("type is missing")
    if kind not in ("insert", "update", "delete", *STATEMENTS):
        raise Bad(f"type is not known: {kind}")
    ts = field(message, "ts")
    if ts is not None and (whole(ts) is None or abs(whole(ts)) >= 2**63):
        raise Bad(f"ts is not a whole number: {ts}")
    if row["table_name"] is None and not kind.startswith("database-"):
        raise Bad("table is missing")
    if kind in STATEMENTS:
        return [statement(row, kind, field(message, "sql"))]
    return row_change(row, kind, message, options)


def row_change(row, kind, message, options):
    """The change of one row: one row, or two where it moves to another key."""
    sent = image(message.get("old" if kind == "delete" else "data"))
    if sent is None:
        raise Bad("the row is missing, has no columns, or is not an object")
    table = ".".join(part for part in (row["database_name"], row["table_name"]) if part)
    keys = options.get("key_columns", {}).get(table)
    key = key_of(keys, sent)
    row = row | {"key_columns": keys, "row_key": key}
    if kind == "delete":
        is_whole = keys is not None and bool(set(sent) - set(keys))
        images = {"before_image": sent, "is_before_complete": is_whole}
        return [row | images | {"operation": "delete"}]
    after = {"after_image": sent, "is_after_complete": True}
    old = message.get("old")
    if kind == "insert" or not isinstance(old, dict):
        return [row | after | {"operation": kind}]
    before = sent | {name: wire_text(value) for name, value in old.items()}
    images = {"before_image": before, "is_before_complete": True}
    old_key = key_of(keys, before)
    if None in (key, old_key) or key == old_key:
        return [row | images | after | {"operation": "update"}]
    upsert = {"operation": "upsert", "previous_row_key": old_key}
    return [
        row | images | {"operation": "delete", "row_key": old_key},
        sequence(row | after | upsert | {"row_index": row["row_index"] + 1}),
    ]
