"""What a record of GoldenGate must become, in plain Python: a second reading of docs/formats/ogg_json.md."""

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from tests.formats.reference import (
    Bad,
    base_row,
    field,
    image,
    instant,
    key_of,
    names,
    read_document,
    sequence,
    wire_bytes,
    with_relative,
    without_value,
)

OPERATIONS = {"I": "insert", "U": "update", "D": "delete", "T": "truncate"}
MARK = "_isMissing"
CLOCK = re.compile(
    r"(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d)(?:\.(\d*))?\s*(Z|[-+]\d\d:?\d\d)?", re.ASCII
)


def rows(record):
    """Rows of one record of GoldenGate."""
    row = sequence(base_row(record, "ogg_json"))
    raw = wire_bytes(record, "value")
    text = "" if raw is None else raw.decode("utf-8", "replace")
    message = {}
    options = record.get("feed", {})
    try:
        if raw is not None:
            message, text = read_document(raw)
            row = head(row, message, options)
        if record.get("load_error"):
            raise Bad(record["load_error"])
        if raw is None:
            return [without_value(row, wire_bytes(record, "key"))]
        return rows_of_message(row, message, options)
    except Bad as reason:
        return [
            row | {"operation": "unknown", "error": with_relative(str(reason), text, "ogg_json")}
        ]


def moment(text, zone):
    """Text of a date and time as a moment in its own zone or the given one; None if it is none."""
    parts = CLOCK.fullmatch(text or "")
    try:
        found = parts and datetime.fromisoformat(parts[1])
    except ValueError:
        return None
    if not found:
        return None
    found += timedelta(microseconds=int(f"{parts[2] or ''}000000"[:6]))
    if parts[3]:
        return datetime.fromisoformat(f"{found.isoformat()}{parts[3]}")
    return found.replace(tzinfo=zone)


def as_instant(text, zone):
    """Text of a date and time as Spark prints an instant; None without any zone."""
    found = moment(text, zone and ZoneInfo(zone))
    if found is None or found.tzinfo is None:
        return None
    return instant((found - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1))


def head(row, message, options):
    """The row with what a message says apart from its images."""
    parts = [*(field(message, "table") or "").split(".")[::-1], "", ""]
    numbers = {name: field(message, name) or "" for name in ("csn", "pos")}
    used = {name: int(text) for name, text in numbers.items() if re.fullmatch("[0-9]{1,38}", text)}
    row = row | {
        "source_operation": field(message, "op_type"),
        "database_name": parts[2] or None,
        "schema_name": parts[1] or None,
        "table_name": parts[0] or None,
        "changed_at": as_instant(field(message, "op_ts"), options.get("time_zone")),
        "captured_at": as_instant(field(message, "current_ts"), None),
        "transaction_id": field(message, "xid"),
        "order_scope": "position" if used else "offset",
        "position_space": next(iter(used), None),
    }
    return sequence(row, position=used.values())


def rows_of_message(row, message, options):
    """Rows of a message that is JSON."""
    op = row["source_operation"]
    if op is None:
        raise Bad("op_type is missing")
    if op not in OPERATIONS:
        raise Bad(f"op_type is not known: {op}")
    if row["table_name"] is None:
        raise Bad("table is missing")
    if field(message, "table").count(".") > 2:
        raise Bad(f"table is not a name of at most three parts: {field(message, 'table')}")
    time = field(message, "op_ts")
    if time is not None and moment(time, None) is None:
        raise Bad(f"op_ts is not a date with a time: {time}")
    if op == "T":
        return [row | {"operation": "truncate", "ddl_kind": "truncate"}]
    return row_change(row, message, op, options)


def side(message, name):
    """An image without its marks, the columns not sent, and whether it tells of all columns."""
    sent = image(message.get(name)) or {}
    marks = {
        column + MARK
        for column in sent
        if (sent.get(column + MARK) or "").lower() in ("true", "false")
    }
    missing = [column for column in sent if (sent.get(column + MARK) or "").lower() == "true"]
    columns = {c: v for c, v in sent.items() if c not in marks and c not in missing}
    return columns, missing, bool(columns) and len(sent) == 2 * len(columns)


def row_change(row, message, op, options):
    """The change of one row: one row, or two where it moves to another key."""
    old, missing_old, is_old_told = side(message, "before") if op in "UD" else ({}, [], False)
    new, missing_new, is_new_told = side(message, "after") if op in "IU" else ({}, [], False)
    if op in "IU" and not new:
        raise Bad(f"op_type {op} without an after image")
    if op == "D" and not old:
        raise Bad("op_type D without a before image")
    path = ".".join(filter(None, (row["database_name"], row["schema_name"], row["table_name"])))
    keys = options.get("key_columns", {}).get(path) or names(message.get("primary_keys"))
    key, old_key = key_of(keys, old | new), key_of(keys, old)
    before = {
        "before_image": old or None,
        "before_unavailable": missing_old,
        "is_before_complete": is_old_told,
    }
    after = {
        "after_image": new or None,
        "after_unavailable": missing_new,
        "is_after_complete": is_new_told or (op == "I" and not missing_new),
    }
    row = row | {"key_columns": keys, "row_key": key}
    if op == "U" and None not in (key, old_key) and key != old_key:
        upsert = {"operation": "upsert", "previous_row_key": old_key, "row_index": 1}
        return [
            row | before | {"operation": "delete", "row_key": old_key},
            sequence(row | after | upsert, position=row["change_sequence"]["position"]),
        ]
    return [row | before | after | {"operation": OPERATIONS[op]}]
