"""What a record of CloudCanal's Debezium output must become, read a second time from docs/formats/debezium_cloudcanal.md.

`enveloped` is the part that the other writers of Debezium's envelope have in common with it.
"""

import hashlib
import re

from tests.formats.reference import (
    Bad,
    base_row,
    check_bare_numbers,
    check_table_changes,
    ddl_kind,
    debezium_body,
    field,
    image,
    key_of,
    millis,
    read_document,
    schema_change_kind,
    sequence,
    statement_rows,
    told_block,
    whole,
    wire_bytes,
    with_relative,
    without_value,
)

OPERATIONS = {"c": "insert", "i": "insert", "u": "update", "d": "delete"}


def rows(record):
    """Rows of one record."""
    return enveloped(record, "debezium_cloudcanal", "debezium_cloudcanal", head, operation)


def enveloped(record, format_name, looks, read_head, read_operation):
    """Rows of a record of an envelope whose head and operation a format reads by its own rules."""
    row = sequence(base_row(record, format_name) | {"order_scope": "position"})
    raw = wire_bytes(record, "value")
    text = "" if raw is None else raw.decode("utf-8", "replace")
    try:
        message = {}
        if raw is not None:
            envelope, text = read_document(raw)
            message = debezium_body(envelope)
            schema = field(envelope, "schema")
            if format_name == "debezium_cloudcanal":
                schema = told_block(
                    envelope.get("schema"), message.get("before"), message.get("after")
                )
            if schema is None and format_name == "debezium_cloudcanal":
                schema = types_of_statement(message)
            row |= read_head(message) | {
                "schema_id": None if schema is None else hashlib.md5(schema.encode()).hexdigest(),
                "schema_text": schema,
            }
            sequence(row, position=row["position"])
        if record.get("load_error"):
            raise Bad(record["load_error"])
        if raw is None:
            return [without_value(row, wire_bytes(record, "key"))]
        return changes(row, message, read_operation(message), record.get("feed", {}))
    except Bad as reason:
        reason = str(reason)
        hint = reason if bears_sign(text, looks) else with_relative(reason, text, looks)
        return [row | {"operation": "unknown", "error": hint}]


def types_of_statement(message):
    """What a statement's message tells of types, where it has no block."""
    table = field(field(message, "tableChanges", dict) or {}, "table")
    return None if table is None else f'{{"tableChanges":{{"table":{table}}}}}'


def bears_sign(text, looks):
    """Whether a text looks like the format itself."""
    is_envelope = re.match(r'\s*\{\s*"(source|schema|before|after|op|payload)":', text) and (
        re.search(r'"op":\s*"[a-zA-Z]+"', text)
        and (
            re.search(r'"source":\s*\{', text) or re.search(r'"(before|after)":\s*(\{|null)', text)
        )
    )
    if looks == "debezium_cloudcanal":
        return '"connector":"MySQL"' in text and (is_envelope or '"tableChanges":' in text)
    is_own = is_envelope and re.search(r'"connector":\s*"OB_', text)
    return is_own or (not is_envelope and re.search(r'"op":\s*"HEARTBEAT"', text))


def head(message):
    """What a message says apart from its row."""
    source = field(message, "source", dict) or {}
    database = field(source, "db") or field(message, "databaseName") or None
    change = field(field(message, "tableChanges", dict) or {}, "type")
    schema = field(source, "schema") or None
    file_name, server = field(source, "file"), field(source, "server_id")
    op = field(message, "op")
    number, place = whole((file_name or "").rpartition(".")[2]), whole(field(source, "pos"))
    is_placed = number is not None and place is not None and min(number, place) >= 0
    return {
        "source_operation": change if op is None else op,
        "source_type": (field(source, "connector") or "").lower() or None,
        "database_name": database,
        "schema_name": None if schema == field(source, "db") else schema,
        "table_name": field(source, "table") or None,
        "changed_at": millis(field(source, "ts_ms")),
        "captured_at": millis(field(message, "ts_ms")),
        "transaction_id": field(source, "gtid") or None,
        "position": [number, place] if is_placed else [],
        "row_in_event": whole(field(source, "row")) or 0,
        "position_space": None
        if file_name is None or server == "0"
        else "/".join(part for part in (server, file_name.rpartition(".")[0]) if part is not None),
    }


def operation(message):
    """The operation that the words of a message tell, with its DDL; None where they tell none."""
    op, ddl = field(message, "op"), field(message, "ddl")
    changes_of_table = field(message, "tableChanges", dict)
    if ddl is None and changes_of_table is None and op != "a":
        return {"operation": OPERATIONS.get(op)}
    if ddl_kind(ddl) == "truncate":
        return {"operation": "truncate", "ddl": ddl, "ddl_kind": "truncate"}
    kind = schema_change_kind(ddl, [(field(changes_of_table or {}, "type"), None)])
    return {"operation": "schema_change", "ddl": ddl, "ddl_kind": kind}


def changes(row, message, told, options):
    """Rows of a message that is JSON."""
    op, source = field(message, "op"), field(message, "source", dict)
    word = told["operation"]
    if word is None:
        raise Bad("op is missing" if op is None else f"op is not known: {op}")
    for holder, label in ((message, "ts_ms"), (source, "source.ts_ms")):
        text = field(holder or {}, "ts_ms")
        if text is not None and whole(text) is None:
            raise Bad(f"{label} is not a whole number: {text}")
    if word == "heartbeat":
        return [row | told]
    if word == "schema_change":
        if told["ddl_kind"] is None:
            check_table_changes(row, None, None, [])
        return statement_rows(row | told)
    if source is None:
        raise Bad("source is missing or not an object")
    if row["table_name"] is None:
        raise Bad("source.table is missing")
    if word == "truncate":
        return statement_rows(row | told)
    check_bare_numbers(row, options, message.get("before"), message.get("after"))
    return change(row, word, op, image(message.get("before")), image(message.get("after")), options)


def change(row, word, op, old, new, options):
    """The change of one row."""
    if word == "delete" and old is None:
        raise Bad(f"op {op} without a before image")
    if word != "delete" and new is None:
        raise Bad(f"op {op} without an after image")
    old = old if word in ("update", "delete") else None
    new = None if word == "delete" else new
    parts = ("database_name", "schema_name", "table_name")
    table = ".".join(row[part] for part in parts if row[part] is not None)
    keys = options.get("key_columns", {}).get(table)
    is_whole = word != "update" or (old is not None and old.keys() == new.keys())
    before = {"before_image": old, "is_before_complete": old is not None and is_whole}
    after = {"after_image": new, "is_after_complete": new is not None and is_whole}
    key, old_key = key_of(keys, new or old), key_of(keys, old)
    row |= {"key_columns": keys, "row_key": key}
    if keys is None and row["position"] and "row_in_event" in row:
        # it tells equal rows of a table without a key apart
        row["position"] = [*row["position"], row["row_in_event"]]
        sequence(row, position=row["position"])
    if word == "snapshot":
        row |= {"snapshot_mark": op}
        return [sequence(row | after | {"operation": word}, 0, row["position"])]
    if word != "update" or None in (key, old_key) or key == old_key:
        return [row | before | after | {"operation": word}]
    upsert = {"operation": "upsert", "previous_row_key": old_key, "row_index": 1}
    return [
        row | before | {"operation": "delete", "row_key": old_key},
        sequence(row | after | upsert, 1, row["position"]),
    ]
