"""What a CloudCanal record must become, read a second time from docs/formats/cloudcanal_json.md."""

import hashlib
import re

from tests.formats.reference import (
    Bad,
    bare_number,
    base_row,
    canal_list,
    ddl_kind,
    ddl_kind_of_word_or_text,
    field,
    image,
    key_of,
    millis,
    names,
    read_document,
    sequence,
    statement_rows,
    whole,
    wire_bytes,
    with_relative,
    without_value,
)

FORMAT = "cloudcanal_json"
DDL = {
    "CREATE": "create",
    "ALTER": "alter",
    "ERASE": "drop",
    "DROP": "drop",
    "RENAME": "rename",
    "CINDEX": "other",
    "DINDEX": "other",
}
ENTRIES = {"TRANSACTIONBEGIN": "transaction_begin", "TRANSACTIONEND": "transaction_end"}


def rows(record):
    """Rows of one record."""
    row = sequence(base_row(record, FORMAT))
    raw = wire_bytes(record, "value")
    text = "" if raw is None else raw.decode("utf-8", "replace")
    try:
        message = {}
        if raw is not None:
            message, text = read_document(raw)
            row |= head(message)
        if record.get("load_error"):
            raise Bad(record["load_error"])
        if raw is None:
            return [without_value(row, wire_bytes(record, "key"))]
        return changes(row, message, record.get("feed", {}))
    except Bad as reason:
        return [row | {"operation": "unknown", "error": error(str(reason), text)}]


def error(reason, text):
    """The reason, with the name of another format only where the text bears no sign of this one."""
    is_own = '"action":' in text and re.search('"(entryType|dbValType|jdbcType)":', text)
    return reason if is_own else with_relative(reason, text, FORMAT)


def head(message):
    """What a message says apart from its rows; a schema of the database's name is MySQL's repetition."""
    database = field(message, "db") or None
    types = types_told(message, "dbValType", "jdbcType", "tableChanges")
    schema = field(message, "schema") or None
    return {
        "source_operation": field(message, "action"),
        "database_name": database,
        "schema_name": None if schema == database else schema,
        "table_name": field(message, "table") or None,
        "schema_id": None if types is None else hashlib.md5(types.encode()).hexdigest(),
        "schema_text": types,
        "changed_at": millis(field(message, "execTs")),
        "captured_at": millis(field(message, "sendTs")),
    }


def types_told(message, *names):
    """The members of a message that tell its types, as the text of one JSON object."""
    told = {name: field(message, name) for name in names}
    parts = [f'"{name}":{text}' for name, text in told.items() if text is not None]
    return "{" + ",".join(parts) + "}" if parts else None


def flag(message):
    """Whether the message calls itself DDL: None where it does not say."""
    for name in ("isDdl", "ddl"):
        text = field(message, name)
        if text is not None:
            if text.lower() not in ("true", "false"):
                raise Bad(f"isDdl is neither true nor false: {text}")
            return text.lower() == "true"
    return None


def changes(row, message, feed):
    """Rows of a message that is JSON."""
    for name in ("execTs", "sendTs"):
        if field(message, name) is not None and whole(field(message, name)) is None:
            raise Bad(f"{name} is not a whole number: {field(message, name)}")
    is_ddl = flag(message)
    entry = field(message, "entryType") or "ROWDATA"
    if entry.upper() in ENTRIES:
        return [row | {"operation": ENTRIES[entry.upper()]}]
    if entry.upper() != "ROWDATA":
        raise Bad(f"entryType is not known: {entry}")
    action, sql = field(message, "action") or "", field(message, "sql")
    word = action.upper()
    if word in ("INSERT", "UPDATE", "DELETE"):
        if is_ddl:
            raise Bad(f"isDdl is true, but action is {action}")
        return images(row, message, word, feed)
    if word == "TRUNCATE" or (word not in DDL and (is_ddl or word == "QUERY")):
        kind = "truncate" if word == "TRUNCATE" else ddl_kind(sql)
    elif word in DDL:
        kind = ddl_kind_of_word_or_text(DDL, word, sql)
    else:
        raise Bad(f"action is not known: {action}" if action else "action is missing")
    if kind == "truncate" and row["table_name"] is None:
        raise Bad("table is missing")
    operation = "truncate" if kind == "truncate" else "schema_change"
    return statement_rows(row | {"operation": operation, "ddl": sql, "ddl_kind": kind})


def images(row, message, word, feed):
    """One row per row image, two for a key change."""
    if row["table_name"] is None:
        raise Bad("table is missing")
    data, before = canal_list(message, "data") or [], canal_list(message, "before") or []
    sent = before if word == "DELETE" and not any(data) else data
    if not sent:
        raise Bad("data is missing, empty, or not a list of rows")
    place = [row[name] for name in ("database_name", "schema_name", "table_name")]
    feed_keys = feed.get("key_columns", {})
    keys = feed_keys.get(".".join(filter(None, place))) or names(message.get("pks"))
    is_paired = word == "UPDATE" and len(before) == len(sent)
    found = []
    for index, item in enumerate(sent):
        current = sequence(row | {"row_index": 2 * index})
        if not item:
            reason = f"element {index} of data is not a row"
        else:
            reason = bare_number(row, feed, item, before[index] if is_paired else None)
        if reason:
            found.append(current | {"operation": "unknown", "error": reason})
            continue
        old = image(before[index]) if is_paired else None
        found += change(current | {"key_columns": keys}, word, keys, old, image(item))
    return found


def change(row, word, keys, old, new):
    """The change of one row image; `old` is what an update says of the row before it."""
    row |= {"row_key": key_of(keys, new)}
    if word == "INSERT":
        return [row | {"operation": "insert", "after_image": new, "is_after_complete": True}]
    if word == "DELETE":
        return [row | {"operation": "delete", "before_image": new, "is_before_complete": True}]
    is_whole = old is not None and old.keys() == new.keys()
    before = {"before_image": old, "is_before_complete": is_whole}
    after = {"after_image": new, "is_after_complete": is_whole}
    old_key = None if old is None else key_of(keys, new | old)
    if None in (old_key, row["row_key"]) or old_key == row["row_key"]:
        return [row | before | after | {"operation": "update"}]
    upsert = {"operation": "upsert", "previous_row_key": old_key, "row_index": row["row_index"] + 1}
    return [
        row | before | {"operation": "delete", "row_key": old_key},
        sequence(row | after | upsert),
    ]
