"""What a record of TiCDC's simple protocol must become, read a second time from docs/formats/ticdc_simple.md."""

import hashlib
import re

from tests.formats.reference import (
    Bad,
    base_row,
    check_statement,
    ddl_kind,
    field,
    image,
    instant,
    key_of,
    millis,
    ranked,
    read_document,
    sequence,
    whole,
    wire_bytes,
    with_relative,
    without_value,
)

ROW_TYPES = {"INSERT": "insert", "UPDATE": "update", "DELETE": "delete"}
MARKS = {"WATERMARK": "heartbeat", "BOOTSTRAP": "ignored"}
DDL_TYPES = {
    "CREATE": "create",
    "ALTER": "alter",
    "ERASE": "drop",
    "RENAME": "rename",
    "TRUNCATE": "truncate",
    "CINDEX": "other",
    "DINDEX": "other",
}


def rows(record):
    """Rows of one record."""
    return ranked(unranked(record))


def unranked(record):
    """The same with the number of the commit alone as the position."""
    row = sequence(base_row(record, "ticdc_simple") | {"order_scope": "position"})
    raw, text = wire_bytes(record, "value"), ""
    try:
        message = {}
        if raw is not None:
            text = raw.decode("utf-8", "replace")
            message, text = read_document(raw)
            row = row | head(message)
            sequence(row, position=row["position"])
        if record.get("load_error"):
            raise Bad(record["load_error"])
        if raw is None:
            return [without_value(row, wire_bytes(record, "key"))]
        return rows_of_message(row, message, record.get("feed", {}))
    except Bad as reason:
        error = str(reason)
        if '"commitTs":' not in text:
            error = with_relative(error, text, "ticdc_simple")
        return [row | {"operation": "unknown", "error": error}]


def head(message):
    """What a message says apart from its row."""
    before, after = (field(message, name, dict) or {} for name in ("preTableSchema", "tableSchema"))
    types = field(after, "columns")
    commit = field(message, "commitTs") or ""
    number = int(commit) if re.fullmatch("[0-9]{1,20}", commit) else 0
    return {
        "source_operation": field(message, "type"),
        "source_type": "tidb",
        "database_name": field(message, "database")
        or field(before, "schema")
        or field(after, "schema")
        or None,
        "table_name": field(message, "table")
        or field(before, "table")
        or field(after, "table")
        or None,
        "schema_id": None if types is None else hashlib.md5(types.encode()).hexdigest(),
        "schema_text": types,
        "changed_at": instant((number >> 18) * 1000) if 0 < number < 2**63 else None,
        "captured_at": millis(field(message, "buildTs")),
        "position": [number] if number else [],
    }


def rows_of_message(row, message, options):
    """Rows of a message that is JSON."""
    word = row["source_operation"]
    if word is None:
        raise Bad("type is missing")
    if word not in (*ROW_TYPES, *MARKS, *DDL_TYPES, "QUERY"):
        raise Bad(f"type is not known: {word}")
    commit, built = field(message, "commitTs"), field(message, "buildTs")
    if commit is None:
        raise Bad("commitTs is missing")
    if not re.fullmatch("[0-9]{1,20}", commit):
        raise Bad(f"commitTs is not a whole number: {commit}")
    if built is not None and whole(built) is None:
        raise Bad(f"buildTs is not a whole number: {built}")
    key_only = field(message, "handleKeyOnly")
    if key_only is not None and key_only.lower() not in ("true", "false"):
        raise Bad(f"handleKeyOnly is neither true nor false: {key_only}")
    if word in MARKS:
        return [row | {"operation": MARKS[word]}]
    if word not in ROW_TYPES:
        return [statement(row, word, field(message, "sql"))]
    if row["table_name"] is None:
        raise Bad("table is missing")
    elsewhere = field(message, "claimCheckLocation")
    if word != "DELETE" and elsewhere:
        raise Bad(f"the row was too large for Kafka and lies at {elsewhere}")
    is_key_alone = bool(elsewhere) or (key_only or "").lower() == "true"
    if word != "DELETE" and is_key_alone:
        raise Bad("the row was too large for Kafka: the message has only its key (handleKeyOnly)")
    return change(row, word, message, is_key_alone, options)


def statement(row, word, sql):
    """The row of a DDL message."""
    kind = DDL_TYPES.get(word) or ddl_kind(sql)
    if kind == "truncate" and row["table_name"] is None:
        raise Bad("table is missing")
    check_statement(row, kind, sql, one_message_each=True)
    operation = "truncate" if kind == "truncate" else "schema_change"
    return row | {"operation": operation, "ddl": sql, "ddl_kind": kind}


def change(row, word, message, is_key_alone, options):
    """The change of one row: one row, or two where it moves to another key."""
    old = image(field(message, "old", dict)) if word != "INSERT" else None
    new = image(field(message, "data", dict)) if word != "DELETE" else None
    if word == "DELETE" and old is None:
        raise Bad("type DELETE without columns in old")
    if word != "DELETE" and new is None:
        raise Bad(f"type {word} without columns in data")
    table = ".".join(name for name in (row["database_name"], row["table_name"]) if name)
    keys = options.get("key_columns", {}).get(table)
    key, old_key = key_of(keys, new or old), key_of(keys, old)
    row = row | {"key_columns": keys, "row_key": key}
    before = {"before_image": old, "is_before_complete": old is not None and not is_key_alone}
    after = {"after_image": new, "is_after_complete": new is not None}
    if word != "UPDATE" or None in (key, old_key) or key == old_key:
        return [row | before | after | {"operation": ROW_TYPES[word]}]
    upsert = {"operation": "upsert", "previous_row_key": old_key, "row_index": 1}
    return [
        row | before | {"operation": "delete", "row_key": old_key},
        sequence(row | after | upsert, position=row["position"]),
    ]
