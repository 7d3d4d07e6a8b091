"""What a record of SharePlex JSON from OMS must become: a second reading of docs/formats/oms_shareplex.md."""

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from tests.formats.reference import (
    Bad,
    base_row,
    check_statement,
    ddl_kind,
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

WORDS = {
    "ins": "insert", "insert": "insert", "upd": "update", "update": "update", "del": "delete", "delete": "delete",
}  # fmt: skip


def rows(record):
    """Rows of one record from OMS."""
    return shareplex_rows(record, "oms_shareplex", oms_names, oms_position, is_key_whole=True)


def oms_names(table):
    """Tenant, database and table of `tenant.database.table` or `database.table`."""
    parts = [None, None, *table.split(".")]
    return {
        "catalog_name": parts[-3] if len(parts) == 5 else None,
        "database_name": parts[-2] or None,
        "table_name": parts[-1] or None,
    }


def oms_position(scn, options):
    """Seconds, milliseconds and counter of an scn."""
    digits = 13
    if len(scn) <= 13:
        digits = 10
    elif len(scn) < 16:
        digits = int(options.get("sequence_time_digits", "13"))
    return [int(part or "0") for part in (scn[:10], scn[10:digits], scn[digits:])]


def shareplex_rows(record, format_name, names_of, position_of, is_key_whole):
    """Rows of one record of a product that writes SharePlex JSON."""
    options = record.get("feed", {})
    is_counted = options.get("sequence") == "enabled"
    scope = {"order_scope": "position" if is_counted else "offset"}
    row = sequence(base_row(record, format_name) | scope)
    raw = wire_bytes(record, "value")
    text = "" if raw is None else raw.decode("utf-8", "replace")
    message = {}
    try:
        if raw is not None:
            message, text = read_document(raw)
            row = head(row, message, options, names_of, position_of)
        if record.get("load_error"):
            raise Bad(record["load_error"])
        if raw is None:
            return [without_value(row, wire_bytes(record, "key"))]
        return rows_of_message(row, message, options, is_key_whole)
    except Bad as reason:
        # its own sign comes before those of others
        is_shareplex = re.search(r'"meta":\s*\{[^{}]*"op":', text)
        error = str(reason) if is_shareplex else with_relative(str(reason), text, format_name)
        return [row | {"operation": "unknown", "error": error}]


def head(row, message, options, names_of, position_of):
    """The row with what `meta` says."""
    meta = field(message, "meta", dict) or {}
    zone = options.get("time_zone")
    row = row | names_of(field(meta, "table") or "")
    row |= {
        "source_operation": field(meta, "op"),
        "changed_at": wall_clock(field(meta, "time"), zone),
        "captured_at": wall_clock(field(meta, "posttime"), zone),
        "transaction_id": field(meta, "trans") or None,
    }
    scn, number = field(meta, "scn") or "", field(meta, "seq") or ""
    position = []
    if row["order_scope"] == "position" and re.fullmatch("[0-9]{1,38}", scn):
        in_transaction = int(number) if re.fullmatch("[0-9]{1,38}", number) else 0
        position = [*position_of(scn, options), in_transaction]
    return sequence(row, position=position)


def wall_clock(text, zone):
    """Text of a date and time as an instant; None without any zone."""
    try:
        moment = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None
    if moment.tzinfo is None:
        if zone is None:
            return None
        moment = moment.replace(tzinfo=ZoneInfo(zone))
    since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return instant(since.days * 86_400_000_000 + since.seconds * 1_000_000 + since.microseconds)


def is_date_time(text):
    """Whether a text is a date with a time of day."""
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def rows_of_message(row, message, options, is_key_whole):
    """Rows of a message that is JSON."""
    meta = field(message, "meta", dict) or {}
    op = row["source_operation"]
    if op is None:
        raise Bad("meta.op is missing")
    word = op.lower()
    if word not in (*WORDS, "ddl", "truncate"):
        raise Bad(f"meta.op is not known: {op}")
    for name in ("time", "posttime"):
        text = field(meta, name)
        if text is not None and not is_date_time(text):
            raise Bad(f"meta.{name} is no date with a time: {text}")
    if word in ("ddl", "truncate"):
        return [statement(row, word, field(field(message, "sql", dict) or {}, "ddl"))]
    if is_key_whole and row["table_name"] is None:
        raise Bad("meta.table is missing")
    operation, is_full_load = WORDS[word], False
    if operation == "insert" and is_key_whole and row["order_scope"] == "position":
        is_full_load = field(meta, "scn") is None
    data, key = image(message.get("data")), image(message.get("key"))
    if operation == "update" and key is None:
        raise Bad(f"op {op} without key")
    may_be_empty = operation == "update" and is_key_whole
    if data is None and not (may_be_empty and isinstance(message.get("data"), dict)):
        raise Bad(f"op {op} without data")
    if is_full_load:
        operation = "snapshot"
        row = sequence(row | {"snapshot_mark": "no scn"}, phase=0)
    return row_change(row, operation, data, key, options, is_key_whole)


def statement(row, word, text):
    """The row of a statement."""
    if word == "ddl" and not (text or "").strip(" "):
        raise Bad("op ddl without sql.ddl")
    kind = "truncate" if word == "truncate" else ddl_kind(text)
    if kind in ("truncate", "drop") and row["table_name"] is None:
        raise Bad("meta.table is missing")
    check_statement(row, kind, text)
    operation = "truncate" if kind == "truncate" else "schema_change"
    return row | {"operation": operation, "ddl": text, "ddl_kind": kind}


def row_change(row, operation, data, key, options, is_key_whole):
    """The change of one row: one row, or two where it moves to another key."""
    old = {"update": key, "delete": data}.get(operation)
    new = {"update": (key or {}) | (data or {}), "delete": None}.get(operation, data)
    path = [row[name] for name in ("database_name", "schema_name", "table_name")]
    keys = options.get("key_columns", {}).get(".".join(filter(None, path)))
    row_key, old_key = key_of(keys, new or old), key_of(keys, old)
    is_whole = is_key_whole or operation != "update"
    before = {"before_image": old, "is_before_complete": is_whole and old is not None}
    after = {"after_image": new, "is_after_complete": is_whole and new is not None}
    row = row | {"key_columns": keys, "row_key": row_key}
    if operation == "update" and None not in (row_key, old_key) and row_key != old_key:
        upsert = {"operation": "upsert", "previous_row_key": old_key, "row_index": 1}
        return [
            row | before | {"operation": "delete", "row_key": old_key},
            sequence(row | after | upsert, 1, row["change_sequence"]["position"]),
        ]
    return [row | before | after | {"operation": operation}]
