"""What a record of Debezium's flattening transform must become, read a second time from docs/formats/debezium_smt.md."""

import hashlib

from tests.formats.reference import (
    FULL_LOAD,
    Bad,
    base_row,
    check_bare_numbers,
    check_connector,
    check_made_up_key,
    compact,
    debezium_key,
    image,
    is_read,
    key_of,
    millis,
    read_document,
    read_json,
    sent_key,
    sequence,
    told_block,
    unavailable_texts,
    whole,
    wire_bytes,
    with_relative,
)

OPERATIONS = {"c": "insert", "u": "update", "r": "snapshot", "d": "delete"}
NULL_TEXTS = ("null", '{"schema":null,"payload":null}')


def rows(record, format_name="debezium_smt"):
    """Rows of one record."""
    options = record.get("feed", {})
    prefix = options.get("added_prefix", "__") if format_name == "debezium_smt" else None
    raw, key = wire_bytes(record, "value"), wire_bytes(record, "key")
    key_image, is_odd = debezium_key(None if key is None else key.decode("utf-8", "replace"))
    row = sequence(base_row(record, format_name))
    row |= {
        name: options.get(name.removesuffix("_name")) for name in ("database_name", "schema_name")
    }
    row["table_name"] = record["topic"].rpartition(".")[2]
    text = "" if raw is None else raw.decode("utf-8", "replace")
    try:
        if raw is None or text in NULL_TEXTS:
            row |= block_of_key(None if key is None else key.decode("utf-8", "replace"))
            return [null_value(row, record, key_image, options)]
        message, text = read_document(raw)
        columns, added, block = split(message, prefix)
        row |= head(row, added, prefix, block)
        if record.get("load_error"):
            raise Bad(record["load_error"])
        check_bare_numbers(row, options, message, message.get("payload"), sent_key(record))
        return [change(row, columns, added, prefix, (key_image, is_odd), options)]
    except Bad as reason:
        reason = str(reason)
        is_own = '"__op":' in text or '"__deleted":' in text
        is_own = is_own and "whole message" not in reason
        error = reason if is_own else with_relative(reason, text, "debezium_smt")
        return [row | {"operation": "unknown", "error": error}]


def block_of_key(text):
    """The types of a record without a value: those of its Kafka key, if that has a schema block."""
    try:
        key = read_json(text or "")
    except ValueError:
        return {}
    if not isinstance(key, dict) or not isinstance(key.get("schema"), dict) or "payload" not in key:
        return {}
    block = compact(key["schema"])
    return {"schema_text": block, "schema_id": hashlib.md5(block.encode()).hexdigest()}


def null_value(row, record, key_image, options):
    """The delete that a record without a value is."""
    if record.get("load_error"):
        raise Bad(record["load_error"])
    keys, row_key = key_of_change(row, None, key_image, options)
    if row_key is None:
        raise Bad("a null value says that a row is gone, but the Kafka key does not say which")
    check_bare_numbers(row, options, sent_key(record))
    return row | {"operation": "delete", "key_columns": keys, "row_key": row_key}


def key_of_change(row, columns, key_image, options):
    """Names and values of the key: those of the feed first."""
    parts = (row["database_name"], row["schema_name"], row["table_name"])
    named = options.get("key_columns", {}).get(".".join(part for part in parts if part))
    if named:
        return named, key_of(named, (columns or {}) | (key_image or {}))
    return (list(key_image), list(key_image.values())) if key_image else (None, None)


def split(message, prefix):
    """(columns, added fields, schema block) of a message, with or without Kafka Connect's envelope."""
    block = None
    first = next(iter(message), None)
    is_block = isinstance(message.get("schema"), dict)
    if first == "schema" and (
        is_block or (message["schema"] is None and list(message)[1:2] == ["payload"])
    ):
        block = told_block(message.get("schema"), message.get("payload"))
        message = message.get("payload")
        if not isinstance(message, dict):
            return None, {}, block
    values = image(message) or {}
    added = {
        name: value
        for name, value in values.items()
        if name == "__deleted" or (prefix is not None and name.startswith(prefix))
    }
    return {name: value for name, value in values.items() if name not in added}, added, block


def head(row, added, prefix, block):
    """What a message says apart from its row."""

    def told(name):
        """An added field, under its own name or behind "source_"."""
        for label in (f"{prefix}{name}", f"{prefix}source_{name}"):
            if added.get(label) is not None:
                return added[label]
        return None

    snapshot = told("snapshot")
    return {
        "source_operation": added.get("__deleted") if told("op") is None else told("op"),
        "source_type": (told("connector") or "").lower() or None,
        "database_name": told("db") or row["database_name"],
        "schema_name": told("schema") or row["schema_name"],
        "table_name": told("table") or row["table_name"],
        "transaction_id": told("transaction_id") or told("txId") or told("gtid"),
        "changed_at": millis(added.get(f"{prefix}source_ts_ms")),
        "captured_at": millis(added.get(f"{prefix}ts_ms")),
        "schema_id": None if block is None else hashlib.md5(block.encode()).hexdigest(),
        "schema_text": block,
        "position": {"snapshot": snapshot, "op": told("op")},
    }


def operation(added, op):
    """What the added fields say was done."""
    deleted = added.get("__deleted")
    word = None if deleted is None else deleted.lower()
    if word not in (None, "true", "false"):
        raise Bad(f"__deleted is neither true nor false: {deleted}")
    if op is not None and op not in OPERATIONS:
        raise Bad(f"op is not known: {op}")
    if word is not None and op is not None and (word == "true") != (op == "d"):
        raise Bad(f"__deleted is {word}, but op is {op}")
    if op is None:
        return "delete" if word == "true" else "upsert"
    return OPERATIONS[op]


def change(row, columns, added, prefix, key, options):
    """The change of the one row of a message."""
    if columns is None:
        raise Bad("payload is missing or not an object")
    words = row["position"]
    done = operation(added, words["op"])
    done = "snapshot" if is_read(words["op"], words["snapshot"]) else done
    check_connector(row["source_type"])
    for name in ("source_ts_ms", "ts_ms"):
        text = added.get(f"{prefix}{name}")
        if text is not None and whole(text) is None:
            raise Bad(f"{name} is not a whole number: {text}")
    source = columns.get("source") or ""
    if "op" in columns and source.startswith("{") and {"before", "after"} & set(columns):
        raise Bad("a whole message of Debezium, not a flattened row: the feed has another format")
    if done != "delete" and not columns:
        raise Bad("the row has no columns")
    unsent = [] if row["source_type"] == "mongodb" else sorted(set(key[0] or {}) - set(columns))
    missing = [name for name, value in columns.items() if value in unavailable_texts(options)]
    columns = {name: value for name, value in columns.items() if name not in missing}
    key_image, is_odd = key
    keys, row_key = key_of_change(row, columns, key_image, options)
    if keys is None and is_odd:
        raise Bad(
            "the Kafka key is not a JSON object: name the key columns of this table in the feed"
        )
    if keys is not None and row_key is None:
        raise Bad("the message does not hold the key columns that the feed names")
    if done == "delete" and row_key is None:
        raise Bad(
            "a delete without a key does not say which row is gone: name the key columns of this table in the feed"
        )
    is_complete = options.get("before_images") == "complete"
    if done == "delete" and row["source_type"] == "postgresql" and row_key and not is_complete:
        check_made_up_key(dict(zip(keys, row_key, strict=True)), columns, row["schema_text"])
    row |= {"operation": done, "key_columns": keys, "row_key": row_key}
    if done == "delete":
        of_key = {name: value for name, value in columns.items() if name in (keys or [])}
        return row | {"before_image": of_key or None}
    if done == "snapshot":
        row |= {"snapshot_mark": words["snapshot"]}
        sequence(row, 0 if words["snapshot"] in FULL_LOAD else 1)
    return row | {
        "after_image": columns | {name: key_image[name] for name in unsent},
        "after_unavailable": missing,
        "is_after_complete": not missing,
    }
