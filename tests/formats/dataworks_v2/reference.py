"""What a record of dataworks_v2 must become, read from docs/formats/dataworks_v2.md and not from the SQL."""

import hashlib
import re

from tests.formats.oms_default.reference import side_columns, tenant_and_database
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
from tests.formats.streamx.reference import DDL_KINDS, part, renames_its_table

ROWS = {"INSERT": "insert", "UPDATE": "update", "DELETE": "delete"}
WITHOUT_ROWS = {
    "TRANSACTION_BEGIN": "transaction_begin",
    "GTID": "transaction_begin",
    "TRANSACTION_END": "transaction_end",
    "XACOMMIT": "transaction_end",
    "XAROLLBACK": "transaction_end",
    "HEARTBEAT": "heartbeat",
}


def rows(record):
    """Rows of one record."""
    row = sequence(base_row(record, "dataworks_v2"))
    raw = wire_bytes(record, "value")
    text = "" if raw is None else raw.decode("utf-8", "replace")
    message = {}
    try:
        if raw is not None:
            message, text = read_document(raw)
            row |= head(message)
        if record.get("load_error"):
            raise Bad(record["load_error"])
        if raw is None:
            return [without_value(row, wire_bytes(record, "key"))]
        return rows_of_message(row, message, record.get("feed", {}))
    except Bad as reason:
        # its own sign comes before those of others
        is_own = re.match(r'\s*\{\s*"version":\s*"2\.0"', text)
        error = str(reason) if is_own else with_relative(str(reason), text, "dataworks_v2")
        return [row | {"operation": "unknown", "error": error}]


def type_list(message):
    """The list of column types, if it is one of objects."""
    items = field(part(message, "schema"), "column", list)
    if items is None or not all(isinstance(item, dict | None) for item in items):
        return None
    return [item and {name: wire_text(value) for name, value in item.items()} for item in items]


def head(message):
    """What a message says apart from its images."""
    source, times = part(message, "schema", "source"), part(message, "payload", "timestamp")
    tenant, database = tenant_and_database(field(source, "dbName"), field(source, "dbType"))
    types = type_list(message)
    text = None if types is None else compact(types)
    return {
        "source_operation": field(part(message, "payload"), "op"),
        "source_type": (field(source, "dbType") or "").lower() or None,
        "catalog_name": tenant,
        "database_name": database,
        "schema_name": field(source, "schema") or None,
        "table_name": field(source, "table") or None,
        "schema_id": text and hashlib.md5(text.encode()).hexdigest(),
        "schema_text": text,
        "changed_at": millis(field(times, "eventTime")),
        "captured_at": millis(field(times, "systemTime")),
    }


def rows_of_message(row, message, options):
    """Rows of a message that is JSON."""
    payload, op = part(message, "payload"), row["source_operation"]
    if op is None:
        raise Bad("payload.op is missing")
    for name in ("eventTime", "systemTime"):
        text = field(part(payload, "timestamp"), name)
        if text is not None and whole(text) is None:
            raise Bad(f"{name} is not a whole number: {text}")
    if op in WITHOUT_ROWS:
        return [row | {"operation": WITHOUT_ROWS[op]}]
    if op in DDL_KINDS or op == "QUERY":
        return [statement(row, op, field(part(payload, "ddl"), "text"))]
    if op not in ROWS:
        raise Bad(f"op is not known: {op}")
    if row["table_name"] is None:
        raise Bad("schema.source.table is missing")
    return row_change(row, message, options)


def statement(row, op, text):
    """The row of a DDL message."""
    is_told = text is not None and text.strip(" ") != ""
    if op == "QUERY" and not is_told:
        return row | {"operation": "ignored"}
    kind = "truncate" if op == "TRUNCATE" else ddl_kind_of_word_or_text(DDL_KINDS, op, text)
    if kind == "truncate" and row["table_name"] is None:
        raise Bad("schema.source.table is missing")
    if kind == "rename" and is_told and not renames_its_table(row, text):
        raise Bad(f"the statement names another table than its message: {text}")
    check_statement(row, kind, text)
    operation = "truncate" if kind == "truncate" else "schema_change"
    return row | {"operation": operation, "ddl": text, "ddl_kind": kind}


def row_change(row, message, options):
    """The change of one row: one row, or two where it moves to another key."""
    op, payload = row["source_operation"], part(message, "payload")
    old = None if op == "INSERT" else image(part(payload, "before").get("data"))
    new = None if op == "DELETE" else image(part(payload, "after").get("data"))
    if op == "DELETE" and old is None:
        raise Bad("op DELETE without a before image")
    if op != "DELETE" and new is None:
        raise Bad(f"op {op} without an after image")
    named = (row["database_name"], row["schema_name"], row["table_name"])
    path = ".".join(name for name in named if name)
    keys = options.get("key_columns", {}).get(path) or names(part(message, "schema").get("pk"))
    types = [
        item["name"] for item in type_list(message) or [] if item and item.get("name") is not None
    ]
    known = [*types, *(old or []), *(new or [])]
    before_part, after_part = side_columns("before", old, known), side_columns("after", new, known)
    key, old_key = key_of(keys, new or old), key_of(keys, old)
    row = row | {"key_columns": keys, "row_key": key}
    if op == "UPDATE" and None not in (key, old_key) and key != old_key:
        upsert = {"operation": "upsert", "previous_row_key": old_key, "row_index": 1}
        return [
            row | before_part | {"operation": "delete", "row_key": old_key},
            sequence(row | after_part | upsert),
        ]
    return [row | before_part | after_part | {"operation": ROWS[op]}]
