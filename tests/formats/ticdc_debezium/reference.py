"""What a record of TiCDC's Debezium output must become, read a second time from docs/formats/ticdc_debezium.md.

`enveloped` is the part that Flink's Debezium formats have in common with it.
"""

import hashlib
import re

from tests.formats.reference import (
    Bad,
    base_row,
    changes_of_tables,
    check_statement,
    check_table_changes,
    ddl_kind,
    debezium_body,
    field,
    image,
    key_of,
    millis,
    ranked,
    read_document,
    read_json,
    schema_change_kind,
    sequence,
    told_block,
    whole,
    wire_bytes,
    with_relative,
    without_value,
)

NOTHING = {}
ROW_WORDS = {"c": "insert", "u": "update", "d": "delete"}


def rows(record):
    """Rows of one record."""
    return ranked(enveloped(record, "ticdc_debezium", read_head, read_operation, read_key, is_own))


def enveloped(
    record, format_name, head_of, operation_of, key_of_record, bears_own_signs, placeholders=()
):
    """Rows of a record of an envelope, by the rules of a format; `placeholders` stand for values it did not have."""
    row = base_row(record, format_name) | head_of(NOTHING, record)
    sequence(row)
    raw, text = wire_bytes(record, "value"), ""
    try:
        if raw is not None:
            text = raw.decode("utf-8", "replace")
            envelope, text = read_document(raw)
            body = debezium_body(envelope)
            schema = field(envelope, "schema")
            if format_name == "ticdc_debezium":
                schema = told_block(envelope.get("schema"), body.get("before"), body.get("after"))
            row |= head_of(body, record) | {
                "schema_text": schema,
                "schema_id": None if schema is None else hashlib.md5(schema.encode()).hexdigest(),
            }
            sequence(row, position=row["position"])
        if record.get("load_error"):
            raise Bad(record["load_error"])
        if raw is None:
            key_image = key_of_record(record) or {}
            key = {"key_columns": list(key_image) or None, "row_key": [*key_image.values()] or None}
            return [without_value(row | key, wire_bytes(record, "key"))]
        told = operation_of(row, body)
        if told["operation"] not in ROW_WORDS.values():
            if told["operation"] in ("schema_change", "truncate"):
                check_statement(row, told["ddl_kind"], told["ddl"], one_message_each=True)
            return [row | told]
        return change_of_row(
            row, body, told["operation"], key_of_record(record), record, placeholders
        )
    except Bad as reason:
        error = str(reason)
        if not bears_own_signs(text):
            error = with_relative(error, text, format_name)
        return [row | {"operation": "unknown", "error": error}]


def change_of_row(row, body, word, key_image, record, placeholders):
    """The change of one row: one row, or two where it moves to another key."""
    op = field(body, "op")
    old = image(body.get("before")) if word != "insert" else None
    new = image(body.get("after")) if word != "delete" else None
    if word == "delete" and old is None:
        raise Bad(f"op {op} without a before image")
    if word != "delete" and new is None:
        raise Bad(f"op {op} without an after image")
    old, old_missing = parted(old, placeholders)
    sent = set(new or {})
    new, new_missing = parted(new, placeholders)
    if new is not None and not feed_keys(row, record):
        new |= {name: value for name, value in (key_image or {}).items() if name not in sent}
    keys = key_columns(row, key_image, record)
    whole_row = old if new is None else new
    key, old_key = key_of(keys, (key_image or {}) | whole_row), key_of(keys, old)
    before = {
        "before_image": old,
        "is_before_complete": old is not None and not old_missing,
        "before_unavailable": old_missing,
    }
    after = {
        "after_image": new,
        "is_after_complete": new is not None and not new_missing,
        "after_unavailable": new_missing,
    }
    row = row | {"key_columns": keys, "row_key": key}
    if word != "update" or None in (key, old_key) or key == old_key:
        return [row | before | after | {"operation": word}]
    upsert = {"operation": "upsert", "previous_row_key": old_key, "row_index": 1}
    return [
        row | before | {"operation": "delete", "row_key": old_key},
        sequence(row | after | upsert, position=row["position"]),
    ]


def parted(row, placeholders):
    """A row without the columns that hold a placeholder, and the names of these."""
    missing = [name for name, value in (row or {}).items() if value in placeholders]
    return row and {name: row[name] for name in row if name not in missing}, missing


def key_columns(row, key_image, record):
    """The names of the key: the feed's for the table, else those of the Kafka key."""
    keys = feed_keys(row, record)
    return keys or (list(key_image) if key_image else None)


def object_of(text):
    """A JSON object, or None for any other text."""
    try:
        value = read_json(text or "")
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def key_text(record):
    """The Kafka key as text."""
    raw = wire_bytes(record, "key")
    return None if raw is None else raw.decode("utf-8", "replace")


# TiCDC --------------------------------------------------------------------------------------------


def read_head(body, record):
    """What a message says apart from its row."""
    source = field(body, "source", dict) or {}
    changes = field(body, "tableChanges", list) or [{}]
    commit = field(source, "commit_ts") or ""
    op = field(body, "op")
    return {
        "source_operation": field(changes[0], "type") if op is None else op,
        "source_type": None if body is NOTHING else "tidb",
        "database_name": field(source, "db") or field(body, "databaseName") or None,
        "table_name": field(source, "table") or None,
        "changed_at": millis(field(source, "ts_ms")),
        "captured_at": millis(field(body, "ts_ms")),
        "order_scope": "position",
        "position": [int(commit)] if re.fullmatch("[0-9]{1,20}", commit) and int(commit) else [],
    }


def read_operation(row, body):
    """The operation of a message, with its DDL."""
    op, source = field(body, "op"), field(body, "source", dict)
    ddl, changes = field(body, "ddl"), field(body, "tableChanges", list)
    told = {"operation": ROW_WORDS.get(op)}
    if op == "m" and not any(field(source or {}, name) for name in ("db", "table")):
        told = {"operation": "heartbeat"}
    if op is None and (ddl is not None or changes is not None):
        told = told_by_ddl(ddl, changes_of_tables(body))
    if told["operation"] is None:
        raise Bad("op is missing" if op is None else f"op is not known: {op}")
    check_head(row, body, source, told["operation"])
    if told["operation"] == "schema_change":
        check_table_changes(row, told["ddl_kind"], ddl, changes_of_tables(body))
    return told


def told_by_ddl(ddl, changes):
    """What a DDL message does: its text decides, then the label."""
    return {
        "operation": "truncate" if ddl_kind(ddl) == "truncate" else "schema_change",
        "ddl": ddl,
        "ddl_kind": schema_change_kind(ddl, changes),
    }


def check_head(row, body, source, operation):
    """Raises what is wrong with a message's head."""
    if source is None:
        raise Bad("source is missing or not an object")
    if field(source, "connector") != "TiCDC":
        raise Bad(f"source.connector is not TiCDC: {field(source, 'connector') or 'it is missing'}")
    for holder, name, label in (
        (body, "ts_ms", "ts_ms"),
        (source, "ts_ms", "source.ts_ms"),
    ):
        text = field(holder, name)
        if text is not None and whole(text) is None:
            raise Bad(f"{label} is not a whole number: {text}")
    commit = field(source, "commit_ts")
    if commit is not None and not re.fullmatch("[0-9]{1,20}", commit):
        raise Bad(f"source.commit_ts is not a whole number: {commit}")
    if row["table_name"] is None and operation in (*ROW_WORDS.values(), "truncate"):
        raise Bad("source.table is missing")


def read_key(record):
    """The columns of the Kafka key."""
    key = object_of(key_text(record)) or {}
    return image(key.get("payload"))


def is_own(text):
    """Whether a text bears the signs of the format itself."""
    return '"connector":"TiCDC"' in text


def feed_keys(row, record):
    """The names of the key by the feed; None where it names none."""
    table = ".".join(name for name in (row["database_name"], row["table_name"]) if name)
    return record.get("feed", {}).get("key_columns", {}).get(table)
