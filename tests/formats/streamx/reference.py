"""What a StreamX record must become, in plain Python: a second reading of docs/formats/streamx.md."""

import hashlib
import re

from tests.formats import statements
from tests.formats.reference import (
    Bad,
    base_row,
    check_statement,
    compact,
    ddl_kind_of_word_or_text,
    field,
    image,
    key_of,
    millis,
    names,
    read_document,
    sequence,
    whole,
    wire_bytes,
    wire_text,
    with_relative,
    without_value,
)

WITHOUT_ROWS = {
    "TRANSACTION_BEGIN": "transaction_begin",
    "GTID": "transaction_begin",
    "TRANSACTION_END": "transaction_end",
    "XACOMMIT": "transaction_end",
    "XAROLLBACK": "transaction_end",
    "MHEARTBEAT": "heartbeat",
}
DDL_KINDS = {
    "CREATE": "create",
    "ALTER": "alter",
    "ERASE": "drop",
    "RENAME": "rename",
    "TRUNCATE": "truncate",
    "CINDEX": "other",
    "DINDEX": "other",
}
BEFORE_ONLY = {
    "UPDATE_BEFOR": "update_before",
    "UPDATE_BEFORE": "update_before",
    "DELETE": "delete",
}
HIDDEN_KEY = "#alibaba_rds_row_id#"


def rows(record):
    """Rows of one StreamX record."""
    row = sequence(base_row(record, "streamx") | {"order_scope": "position"})
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
        # its own signs come before those of others
        is_streamx = '"dataColumn":' in text or '"sequenceId":' in text
        error = str(reason) if is_streamx else with_relative(str(reason), text, "streamx")
        return [row | {"operation": "unknown", "error": error}]


def part(message, *path):
    """An object inside the message; an empty one where there is none."""
    for name in path:
        message = field(message, name, dict) or {}
    return message


def known_time(message, name):
    """Milliseconds as text; -1 is an unknown time."""
    text = field(part(message, "payload", "timestamp"), name)
    return None if text == "-1" else text


def type_list(message):
    """The list of column types, if it is one of objects."""
    items = field(part(message, "schema"), "dataColumn", list)
    if items is None or not all(isinstance(item, dict | None) for item in items):
        return None
    return items


def head(row, message):
    """The row with what a message says apart from its images."""
    source, payload = part(message, "schema", "source"), part(message, "payload")
    types = type_list(message)
    type_text = None
    if types is not None:
        type_text = compact(
            [item and {name: wire_text(value) for name, value in item.items()} for item in types]
        )
    number = field(payload, "sequenceId")
    position = []
    if number is not None and re.fullmatch("[0-9]{1,38}", number):
        position = [
            int(number),
            0 if field(payload, "op") in ("UPDATE_BEFOR", "UPDATE_BEFORE") else 1,
        ]
    row = row | {
        "source_operation": field(payload, "op"),
        "source_type": (field(source, "dbType") or "").lower() or None,
        "database_name": field(source, "dbName") or None,
        "schema_name": field(source, "schemaName") or None,
        "table_name": field(source, "tableName") or None,
        "schema_id": type_text and hashlib.md5(type_text.encode()).hexdigest(),
        "schema_text": type_text,
        "changed_at": millis(known_time(message, "eventTime")),
        "captured_at": millis(known_time(message, "systemTime")),
    }
    return sequence(row, phase=0 if number == "-1" else 1, position=position)


def rows_of_message(row, message, options):
    """Rows of a message that is JSON."""
    payload, op = part(message, "payload"), row["source_operation"]
    if op is None:
        raise Bad("payload.op is missing")
    for name in ("eventTime", "systemTime"):
        text = known_time(message, name)
        if text is not None and whole(text) is None:
            raise Bad(f"{name} is not a whole number: {text}")
    if op in WITHOUT_ROWS:
        return [row | {"operation": WITHOUT_ROWS[op]}]
    if op in DDL_KINDS or op == "QUERY":
        return [statement(row, op, field(part(payload, "ddl"), "text"))]
    if op not in ("INSERT", "UPDATE_AFTER", *BEFORE_ONLY):
        raise Bad(f"op is not known: {op}")
    if row["table_name"] is None:
        raise Bad("schema.source.tableName is missing")
    if row["change_sequence"]["phase"] == 0 and op != "INSERT":
        raise Bad(f"op {op} in a full load (sequenceId -1), which has only INSERT")
    return row_change(row, message, op, options)


def statement(row, op, text):
    """The row of a DDL message."""
    is_told = text is not None and text.strip(" ") != ""
    if op == "QUERY" and not is_told:
        return row | {"operation": "ignored"}
    kind = "truncate" if op == "TRUNCATE" else ddl_kind_of_word_or_text(DDL_KINDS, op, text)
    if kind == "truncate" and row["table_name"] is None:
        raise Bad("schema.source.tableName is missing")
    if kind == "rename" and is_told and not renames_its_table(row, text):
        raise Bad(f"the statement names another table than its message: {text}")
    check_statement(row, kind, text)
    operation = "truncate" if kind == "truncate" else "schema_change"
    return row | {"operation": operation, "ddl": text, "ddl_kind": kind}


def renames_its_table(row, text):
    """Whether a RENAME names the message's table first, and no other pair."""
    names = statements.read(text).tables
    own = [row[f"{part}_name"] for part in ("database", "schema", "table")]
    own = [name.lower() for name in own if name]
    first = [part.lower() for part in names[0]] if names else []
    return bool(first) and len(names) <= 2 and own[-len(first) :] == first


def row_change(row, message, op, options):
    """The change of one row: one row, or two where it moves to another key."""
    old, new = (sent_image(message, side) for side in ("before", "after"))
    if op == "INSERT":
        old = None
    if op in BEFORE_ONLY:
        new = None
    wanted = "before" if op in BEFORE_ONLY else "after"
    if (old if wanted == "before" else new) is None:
        raise Bad(f"op {op} without {'a' if wanted == 'before' else 'an'} {wanted} image")
    path = ".".join(filter(None, (row["database_name"], row["schema_name"], row["table_name"])))
    keys = options.get("key_columns", {}).get(path) or names(
        part(message, "schema").get("primaryKey")
    )
    if keys is None and HIDDEN_KEY in (new or old):
        keys = [HIDDEN_KEY]
    types = type_list(message)
    before_part = side_columns("before", old, types)
    after_part = side_columns("after", new, types)
    key, old_key = key_of(keys, new or old), key_of(keys, old)
    row = row | {"key_columns": keys, "row_key": key}
    if op == "UPDATE_AFTER" and None not in (key, old_key) and key != old_key:
        phase, position = (row["change_sequence"][name] for name in ("phase", "position"))
        upsert = {"operation": "upsert", "previous_row_key": old_key, "row_index": 1}
        return [
            row | before_part | {"operation": "delete", "row_key": old_key},
            sequence(row | after_part | upsert, phase, position),
        ]
    if op == "INSERT":
        is_full_load = row["change_sequence"]["phase"] == 0
        operation = "snapshot" if is_full_load else "insert"
        row = row | ({"snapshot_mark": "-1"} if is_full_load else {})
    else:
        operation = BEFORE_ONLY.get(op) or ("update" if old else "upsert")
    return [row | before_part | after_part | {"operation": operation}]


def sent_image(message, side):
    """The columns of one side, None where it has none."""
    return image(field(part(message, "payload", side), "dataColumn", dict))


def side_columns(side, columns, types):
    """The contract's columns of one image."""
    described = [
        wire_text(item["name"]) for item in types or [] if item and item.get("name") is not None
    ]
    missing = (
        []
        if columns is None
        else [name for name in dict.fromkeys(described) if name not in columns]
    )
    return {
        f"{side}_image": columns,
        f"{side}_unavailable": missing,
        f"is_{side}_complete": columns is not None and types is not None and not missing,
    }
