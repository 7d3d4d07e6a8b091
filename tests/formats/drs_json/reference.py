"""What a record of drs_json must become, read from docs/formats/drs_json.md and not from the SQL."""

import hashlib

from tests.formats.reference import (
    Bad,
    base_row,
    check_statement,
    ddl_kind,
    field,
    image,
    key_of,
    millis,
    names,
    read_document,
    sequence,
    whole,
    wire_bytes,
    with_relative,
    without_value,
)

ROWS = {"INSERT": "insert", "UPDATE": "update", "DELETE": "delete", "INIT": "snapshot"}


def rows(record):
    """Rows of one record."""
    return drs_rows(record, "drs_json", "mysql")


def drs_rows(record, format_name, source_type):
    """Rows of one record of either JSON format."""
    row = sequence(base_row(record, format_name))
    raw = wire_bytes(record, "value")
    text = "" if raw is None else raw.decode("utf-8", "replace")
    message = {}
    try:
        if raw is not None:
            message, text = read_document(raw)
            row |= {"source_type": source_type} | head(message)
        if record.get("load_error"):
            raise Bad(record["load_error"])
        if raw is None:
            return [without_value(row, wire_bytes(record, "key"))]
        changes = message_rows(row, message, record.get("feed", {}))
    except Bad as reason:
        changes = [row | {"operation": "unknown", "error": str(reason)}]
    for change in changes:
        if change["error"] is not None:
            # Canal's rows cannot be told from these
            reason, hint = change["error"], with_relative(change["error"], text, format_name)
            change["error"] = reason if hint.endswith("looks like canal_json") else hint
    return changes


def head(message):
    """What a message says apart from its rows."""
    types = field(message, "mysqlType")
    return {
        "source_operation": field(message, "type"),
        "database_name": field(message, "database") or None,
        "table_name": (field(message, "table") or "").rstrip(" ") or None,
        "schema_id": None if types is None else hashlib.md5(types.encode()).hexdigest(),
        "schema_text": types,
        "changed_at": millis(field(message, "es")),
        "captured_at": millis(field(message, "ts")),
    }


def message_rows(row, message, options):
    """Rows of a message that is JSON."""
    kind = field(message, "type")
    if kind is None:
        raise Bad("type is missing")
    if field(message, "schema"):
        reason = "the message names a schema, as no source does that this format reads"
        raise Bad(f"{reason}: {field(message, 'schema')}")
    word, flag = kind.upper(), field(message, "isDdl")
    if flag is not None and flag.lower() not in ("true", "false"):
        raise Bad(f"isDdl is neither true nor false: {flag}")
    for name in ("es", "ts"):
        if field(message, name) is not None and whole(field(message, name)) is None:
            raise Bad(f"{name} is not a whole number: {field(message, name)}")
    if (flag or "").lower() == "true" and word in ROWS:
        raise Bad(f"isDdl is true, but type is {kind}")
    if word in ("INIT", "INIT_DDL"):
        row = row | {"snapshot_mark": kind}
    if (flag or "").lower() == "true" or word in ("DDL", "INIT_DDL"):
        return [ddl_row(row, field(message, "sql"), 0 if word == "INIT_DDL" else 1)]
    if word not in ROWS:
        raise Bad(f"type is not known: {kind}")
    if row["table_name"] is None:
        raise Bad("table is missing")
    return row_changes(row, message, word, options)


def ddl_row(row, sql, phase):
    """A change of the schema, or of all rows at once."""
    kind = ddl_kind(sql)
    if kind == "truncate" and row["table_name"] is None:
        raise Bad("table is missing")
    check_statement(row, kind, sql)
    operation = "truncate" if kind == "truncate" else "schema_change"
    return sequence(row | {"operation": operation, "ddl": sql, "ddl_kind": kind}, phase=phase)


def row_list(message, name):
    """A list of row objects; a list that holds anything else is none."""
    items = field(message, name, list)
    if items is None or not all(isinstance(item, dict | None) for item in items):
        return None
    return items


def row_changes(row, message, word, options):
    """The changes of all row images of a message."""
    data, old = row_list(message, "data"), row_list(message, "old")
    if word == "DELETE" and not (data or old):
        raise Bad("neither data nor old is a list with a row")
    if word != "DELETE" and not data:
        raise Bad("data is missing, empty, or not a list of rows")
    table = ".".join(part for part in (row["database_name"], row["table_name"]) if part)
    keys = options.get("key_columns", {}).get(table) or names(message.get("pkNames"))
    are_pairs = word == "UPDATE" and old is not None and len(old) == len(data)
    changes = []
    for index, item in enumerate(data or old):
        current = row | {"row_index": 2 * index, "key_columns": keys}
        before = image(old[index]) if are_pairs else None
        if image(item) is None:
            reason = f"row {index} is no object with columns"
            lost = {"operation": "unknown", "error": reason, "key_columns": None}
            changes.append(sequence(current | lost | {"snapshot_mark": None}))
        elif word == "DELETE":
            changes.append(delete_row(current, image(item)))
        elif word == "UPDATE":
            changes += update_rows(current, before, image(item), old is not None)
        else:
            after = {"after_image": image(item), "is_after_complete": True}
            current |= after | {"operation": ROWS[word], "row_key": key_of(keys, image(item))}
            changes.append(sequence(current, phase=0 if word == "INIT" else 1))
    return changes


def delete_row(row, before):
    """A row that is gone."""
    row_key = key_of(row["key_columns"], before)
    before_part = {"before_image": before, "is_before_complete": True}
    return sequence(row | before_part | {"operation": "delete", "row_key": row_key})


def update_rows(row, before, after, has_old):
    """A row as it is now, and its old key where that is another one."""
    keys = row["key_columns"]
    before_part = {
        "before_image": before,
        "is_before_complete": before is not None and set(after) <= set(before),
    }
    after_part = {"after_image": after, "is_after_complete": has_old}
    new_key = key_of(keys, after)
    old_key = None if before is None else key_of(keys, after | before)
    if None in (new_key, old_key) or new_key == old_key:
        return [
            sequence(row | before_part | after_part | {"operation": "update", "row_key": new_key})
        ]
    upsert = {
        "operation": "upsert",
        "row_key": new_key,
        "previous_row_key": old_key,
        "row_index": row["row_index"] + 1,
    }
    return [
        sequence(row | before_part | {"operation": "delete", "row_key": old_key}),
        sequence(row | after_part | upsert),
    ]
