"""What a record of aws_dms must become, read from docs/formats/aws_dms.md and not from the SQL."""

import hashlib
import re
from datetime import UTC, datetime

from tests.formats.reference import (
    Bad,
    base_row,
    compact,
    field,
    image,
    instant,
    key_of,
    read_document,
    sequence,
    wire_bytes,
    with_relative,
    without_value,
)

ROWS = {"load": "snapshot", "insert": "insert", "update": "update", "delete": "delete"}
DDL_KINDS = {
    "create-table": "create",
    "drop-table": "drop",
    "rename-table": "rename",
    "truncate-table": "truncate",
    "add-column": "alter",
    "drop-column": "alter",
    "rename-column": "alter",
    "change-columns": "alter",
    "column-type-change": "alter",
}


def rows(record):
    """Rows of one record."""
    row = sequence(base_row(record, "aws_dms"))
    raw = wire_bytes(record, "value")
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
        error = with_relative(str(reason), text, "aws_dms")
        return [row | {"operation": "unknown", "error": error}]


def iso_instant(text):
    """An ISO time as an instant, UTC where it names no zone; None for anything else."""
    parts = re.fullmatch(
        r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[-+]\d\d:\d\d)?", text or "", re.ASCII
    )
    if parts is None:
        return None
    day, clock, fraction, zone = parts.groups()
    try:
        moment = datetime.fromisoformat(f"{day}T{clock}{(zone or 'Z').replace('Z', '+00:00')}")
    except ValueError:
        return None
    seconds = int((moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds())
    return instant(seconds * 1_000_000 + int((fraction or "").ljust(6, "0")[:6]))


def head(row, message):
    """The row with what a message says apart from its images."""
    metadata = field(message, "metadata", dict) or {}
    control = field(message, "control", dict) or {}
    definition = control.get("table-def")
    types = definition if isinstance(definition, str | None) else compact(definition)
    handled = iso_instant(field(metadata, "timestamp"))
    row = row | {
        "source_operation": field(metadata, "operation"),
        "schema_name": field(metadata, "schema-name") or None,
        "table_name": field(metadata, "table-name") or None,
        "schema_id": types and hashlib.md5(types.encode()).hexdigest(),
        "schema_text": types,
        "changed_at": iso_instant(field(metadata, "commit-timestamp")) or handled,
        "captured_at": handled,
        "transaction_id": field(metadata, "transaction-id") or None,
    }
    if row["source_operation"] == "load":
        return sequence(row, phase=0)
    of_control = field(metadata, "record-type") == "control"
    phase = 0 if of_control and row["transaction_id"] is None else 1
    found = re.fullmatch(
        r"([0-9A-F]{1,8})/([0-9A-F]{1,8})\.(\d{1,38})\.([0-9A-F]{1,8})/([0-9A-F]{1,8})",
        field(metadata, "stream-position") or "",
        re.ASCII | re.IGNORECASE,
    )
    if found is None:
        return sequence(row, phase)
    high, low, counter, high2, low2 = found.groups()
    place = field(metadata, "transaction-record-id") or ""
    numbers = [int(high, 16), int(low, 16), int(counter), int(high2, 16), int(low2, 16)]
    numbers.append(int(place) if re.fullmatch(r"-?\d{1,38}", place) else -1)
    return sequence(row | {"order_scope": "position"}, phase, numbers)


def rows_of_message(row, message, options):
    """Rows of a message that is JSON."""
    metadata = field(message, "metadata", dict) or {}
    kind, word = field(metadata, "record-type"), row["source_operation"]
    if kind is None:
        raise Bad("metadata.record-type is missing")
    if kind not in ("data", "control"):
        raise Bad(f"metadata.record-type is neither data nor control: {kind}")
    if word is None:
        raise Bad("metadata.operation is missing")
    if row["table_name"] is None:
        raise Bad("metadata.table-name is missing")
    if row["table_name"].lower().startswith("awsdms_"):
        return [row | {"operation": "ignored"}]
    for name in ("timestamp", "commit-timestamp"):
        text = field(metadata, name)
        if text is not None and iso_instant(text) is None:
            raise Bad(f"metadata.{name} is not an ISO time: {text}")
    if word not in (DDL_KINDS if kind == "control" else ROWS):
        raise Bad(f"metadata.operation of a {kind} record is not known: {word}")
    if kind == "control":
        operation = "truncate" if word == "truncate-table" else "schema_change"
        return [row | {"operation": operation, "ddl_kind": DDL_KINDS[word]}]
    return row_change(row, message, word, options)


def row_change(row, message, word, options):
    """The change of one row: one row, or two where it moves to another key."""
    prefix = options.get("before_image_prefix", "BI_")
    sent, before = image(message.get("data")), image(message.get("before-image"))
    new = {name: text for name, text in (sent or {}).items() if not name.startswith(prefix)}
    if word != "delete" and not new:
        raise Bad(f"operation {word} without columns in data")
    if sent is None and before is None:
        raise Bad("operation delete without columns in data and before-image")
    old = before or {
        name[len(prefix) :]: text for name, text in sent.items() if name.startswith(prefix)
    }
    keys = options.get("key_columns", {}).get(
        ".".join(filter(None, (row["schema_name"], row["table_name"])))
    )
    row = row | {"operation": ROWS[word], "key_columns": keys}
    if word == "delete":
        gone = new | old
        return [row | {"before_image": gone, "row_key": key_of(keys, gone)}]
    after_part = {
        "after_image": new,
        "is_after_complete": word != "update" or options.get("after_images") == "complete",
    }
    key = key_of(keys, new)
    if word != "update":
        mark = {"snapshot_mark": "load"} if word == "load" else {}
        return [row | after_part | {"row_key": key} | mark]
    old_key = key_of(keys, new | old) if old else None
    row["before_image"] = old or None
    if key is not None and old_key is not None and key != old_key:
        position = row["change_sequence"]["position"]
        moved = {
            "operation": "upsert",
            "before_image": None,
            "row_key": key,
            "previous_row_key": old_key,
            "row_index": 1,
        }
        return [
            row | {"operation": "delete", "row_key": old_key},
            sequence(row | after_part | moved, position=position),
        ]
    return [row | after_part | {"row_key": key}]
