"""What a record of oms_default must become, read from docs/formats/oms_default.md and not from the SQL."""

import hashlib
import re

from tests.formats.reference import (
    Bad,
    base_row,
    compact,
    ddl_kind,
    field,
    image,
    instant,
    key_of,
    read_document,
    sequence,
    statement_rows,
    whole,
    wire_bytes,
    with_relative,
    without_value,
)

ROWS = {"ROW": "snapshot", "INSERT": "insert", "UPDATE": "update", "DELETE": "delete"}
TYPES = "__light_type"


def rows(record):
    """Rows of one record."""
    return default_rows(record, "oms_default")


def default_rows(record, format_name):
    """Rows of one record of either format."""
    row = sequence(base_row(record, format_name) | {"order_scope": "position"})
    raw = wire_bytes(record, "value")
    text = "" if raw is None else raw.decode("utf-8", "replace")
    message = {}
    try:
        if raw is not None:
            message, text = read_document(raw)
            row = head(row, message, record.get("feed", {}))
        if record.get("load_error"):
            raise Bad(record["load_error"])
        if raw is None:
            return [without_value(row, wire_bytes(record, "key"))]
        return rows_of_message(row, message, record.get("feed", {}))
    except Bad as reason:
        return [row | {"operation": "unknown", "error": named(str(reason), text, format_name)}]


def named(reason, text, format_name):
    """The reason, with the format that the text looks like where that is another one."""
    if '"allMetaData":' in text and "UTF-8" not in reason:
        looks_like = "oms_default_ext" if f'"{TYPES}":' in text else "oms_default"
        is_other = '"recordType":' in text and looks_like != format_name
        return f"{reason}; this looks like {looks_like}" if is_other else reason
    return with_relative(reason, text, format_name)


def tenant_and_database(name, source_type):
    """OceanBase writes both in one name."""
    if (source_type or "").lower().startswith(("ob", "oceanbase")) and "." in (name or ""):
        tenant, _, database = name.partition(".")
        return tenant or None, database or None
    return None, name or None


def position_of(text, options):
    """A time and a counter as two numbers, the time in milliseconds; [] where the text is no such number."""
    if text is None or not re.fullmatch("[1-9][0-9]{9,18}", text):
        return []
    told = int(options.get("sequence_time_digits", 13))
    time_digits = 10 if len(text) <= 13 else 13 if len(text) >= 16 else told
    time = int(text[:time_digits]) * (1000 if time_digits == 10 else 1)
    return [time, int(text[time_digits:] or "0")]


def head(row, message, options):
    """The row with what a message says apart from its images."""
    told, word = field(message, "allMetaData", dict), field(message, "recordType")
    tenant, database = tenant_and_database(field(told, "db"), field(told, "dbType"))
    position = position_of(field(told, "storeDataSequence"), options)
    seconds = whole(field(told, "timestamp"))
    row = row | {
        "source_operation": word,
        "source_type": (field(told, "dbType") or "").lower() or None,
        "catalog_name": tenant,
        "database_name": database,
        "table_name": field(told, "table_name") or None,
        "changed_at": None if seconds is None else instant(seconds * 1_000_000),
        "transaction_id": field(told, "transId") or None,
    }
    if position and word != "ROW":
        row["position_space"] = field(told, "source_identity") or None
    if word in ROWS:
        types = types_of(message)
        text = types if types is None or isinstance(types, str) else compact(types)
        row["schema_text"] = text
        row["schema_id"] = text and hashlib.md5(text.encode()).hexdigest()
    return sequence(row, position=position)


def types_of(message):
    """The types that stand in the row as it is now, else in the row as it was."""
    for side in ("postStruct", "prevStruct"):
        types = (field(message, side, dict) or {}).get(TYPES)
        if types is not None:
            return types
    return None


def rows_of_message(row, message, options):
    """Rows of a message that is JSON."""
    word = row["source_operation"]
    if word is None:
        raise Bad("recordType is missing")
    if word not in (*ROWS, "DDL", "HEARTBEAT"):
        raise Bad(f"recordType is not known: {word}")
    seconds = field(field(message, "allMetaData", dict), "timestamp")
    if seconds is not None and whole(seconds) is None:
        raise Bad(f"allMetaData.timestamp is not a whole number: {seconds}")
    if word == "HEARTBEAT":
        read_up_to = whole(field(field(message, "allMetaData", dict), "checkpoint"))
        if seconds is None and read_up_to is not None:
            row = row | {"changed_at": instant(read_up_to * 1_000_000)}
        return [row | {"operation": "heartbeat"}]
    if word == "DDL":
        return statement(row, message)
    if row["table_name"] is None:
        raise Bad("allMetaData.table_name is missing")
    return row_change(row, message, options)


def statement(row, message):
    """The row of a DDL message."""
    text = field(field(message, "postStruct", dict), "ddl")
    word = field(field(message, "allMetaData", dict), "ddlType")
    if not (text or "").strip(" ") and word != "TRUNCATE_TABLE":
        raise Bad("recordType DDL without a statement in postStruct.ddl")
    kind = "truncate" if word == "TRUNCATE_TABLE" else ddl_kind(text)
    if kind == "truncate" and row["table_name"] is None:
        raise Bad("allMetaData.table_name is missing")
    operation = "truncate" if kind == "truncate" else "schema_change"
    return statement_rows(row | {"operation": operation, "ddl": text, "ddl_kind": kind})


def row_image(message, side):
    """The columns of one side without the types; None where there are none."""
    columns = field(message, side, dict) or {}
    return image({name: value for name, value in columns.items() if name != TYPES})


def row_change(row, message, options):
    """The change of one row: one row, or two where it moves to another key."""
    word = row["source_operation"]
    old = row_image(message, "prevStruct") if word in ("UPDATE", "DELETE") else None
    new = None if word == "DELETE" else row_image(message, "postStruct")
    if (old if word == "DELETE" else new) is None:
        side = "prevStruct" if word == "DELETE" else "postStruct"
        raise Bad(f"recordType {word} without a row in {side}")
    told = field(message, "allMetaData", dict)
    path = ".".join(name for name in (row["database_name"], row["table_name"]) if name is not None)
    own_keys = field(told, "record_primary_key")
    keys = options.get("key_columns", {}).get(path) or (
        own_keys.split("\x01") if own_keys else None
    )
    types = types_of(message)
    known = [*(types if isinstance(types, dict) else []), *(old or []), *(new or [])]
    before_part, after_part = side_columns("before", old, known), side_columns("after", new, known)
    row, position = row | {"key_columns": keys}, row["change_sequence"]["position"]
    key, old_key = key_of(keys, new or old), key_of(keys, old)
    if word == "UPDATE" and None not in (key, old_key) and key != old_key:
        upsert = {
            "operation": "upsert",
            "row_key": key,
            "previous_row_key": old_key,
            "row_index": 1,
        }
        return [
            row | before_part | {"operation": "delete", "row_key": old_key},
            sequence(row | after_part | upsert, position=position),
        ]
    whole_row = row | before_part | after_part | {"operation": ROWS[word], "row_key": key}
    if word == "ROW":
        whole_row["snapshot_mark"] = word
        return [sequence(whole_row, phase=0, position=position)]
    return [whole_row]


def side_columns(side, columns, known):
    """The contract's columns of one image."""
    missing = []
    if columns is not None:
        missing = [name for name in dict.fromkeys(known) if name not in columns]
    return {
        f"{side}_image": columns,
        f"{side}_unavailable": missing,
        f"is_{side}_complete": columns is not None and not missing,
    }
