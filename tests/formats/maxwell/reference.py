"""What a Maxwell record must become, in plain Python: a second reading of docs/formats/maxwell.md."""

import hashlib
import json
import re

from tests.formats import statements
from tests.formats.reference import (
    NO_ROW,
    Bad,
    base_row,
    check_bare_numbers,
    check_statement,
    ddl_kind_of_word_or_text,
    field,
    image,
    instant,
    key_of,
    known_before,
    millis,
    names,
    read_document,
    row_images_of_a_binlog,
    sequence,
    whole,
    wire_bytes,
    wire_text,
    with_relative,
    without_value,
)

ROW_CHANGES = {
    "insert": "insert",
    "update": "update",
    "delete": "delete",
    "bootstrap-insert": "snapshot",
}
MARKS = ("bootstrap-start", "bootstrap-complete")
STATEMENTS = {
    f"{what}-{done}": done for what in ("table", "database") for done in ("create", "alter", "drop")
}


def rows(record):
    """Rows of one Maxwell record."""
    row = sequence(base_row(record, "maxwell"))
    order = record.get("feed", {}).get("order")
    row["order_scope"] = order or "offset"
    raw = wire_bytes(record, "value")
    text = "" if raw is None else raw.decode("utf-8", "replace")
    message = {}
    try:
        if raw is not None:
            message, text = read_document(raw)
            row = head(row, message, order)
        if record.get("load_error"):
            raise Bad(record["load_error"])
        if raw is None:
            return [without_value(row, wire_bytes(record, "key"))]
        return rows_of_message(row, message, record)
    except Bad as reason:
        error = with_relative(str(reason), text, "maxwell")
        return [row | {"operation": "unknown", "error": error}]


def seconds(text):
    """Text of seconds since 1970 as an instant; None where its microseconds are no 64-bit number."""
    if whole(text) is None or abs(whole(text)) > 2**63 // 1_000_000:
        return None
    return instant(whole(text) * 1_000_000)


def head(row, message, order):
    """The row with what a message says apart from its images."""
    kind, ts, definition = (field(message, name) for name in ("type", "ts", "def"))
    row = row | {
        "source_operation": kind,
        "source_type": "mysql",
        "database_name": field(message, "database") or None,
        "table_name": field(message, "table") or None,
        "transaction_id": field(message, "xid"),
        "schema_id": definition and hashlib.md5(definition.encode()).hexdigest(),
        "schema_text": definition,
    }
    if kind in STATEMENTS:
        row["changed_at"] = millis(ts)
    elif kind in ("insert", "update", "delete"):
        row["changed_at"] = seconds(ts)
    elif kind in ("bootstrap-insert", *MARKS):
        row["captured_at"] = seconds(ts)
    return row if order == "offset" else placed(row, message)


def placed(row, message):
    """The row with its place in the log."""
    # a negative one proves nothing, and still stands behind what its partition has brought
    if field(message, "position") is not None:
        row = row | {"order_scope": "position"}
    where = re.search(r"\.([0-9]{1,38}):([0-9]{1,38})$", field(message, "position") or "")
    if not where:
        return row
    position = [int(where[1]), int(where[2])]
    offset_in_transaction = field(message, "xoffset") or ""
    if (field(message, "commit") or "").lower() == "true":
        position += [1]
    elif re.fullmatch("[0-9]{1,38}", offset_in_transaction):
        position += [0, int(offset_in_transaction)]
    server = field(message, "server_id")
    base = field(message, "position")[: where.start()]
    space = base if server is None else f"{server}/{base}"
    row = row | {"order_scope": "position", "position_space": space}
    return sequence(row, position=position)


def rows_of_message(row, message, record):
    """Rows of a message that is JSON."""
    kind = row["source_operation"]
    if kind is None:
        raise Bad("type is missing")
    if kind not in (*ROW_CHANGES, *MARKS, *STATEMENTS):
        raise Bad(f"type is not known: {kind}")
    ts = field(message, "ts")
    if ts is not None and whole(ts) is None:
        raise Bad(f"ts is not a whole number: {ts}")
    if row["table_name"] is None and not kind.startswith("database-"):
        raise Bad("table is missing")
    if kind in STATEMENTS:
        return [statement(row, kind, field(message, "sql"))]
    if kind in MARKS:
        return [row | {"operation": "ignored", "snapshot_mark": kind}]
    return row_change(row, kind, message, message.get("data"), record)


def statement(row, kind, text):
    """The row of a DDL message."""
    told = ddl_kind_of_word_or_text({}, "", text)
    done = told if told in ("rename", "drop", "truncate") else STATEMENTS[kind]
    if text and (read := statements.read(text)) and read.is_temporary:
        done = "other"
    check_statement(row, done, text, one_message_each=True)
    if told == "truncate":
        return row | {"operation": "truncate", "ddl": text, "ddl_kind": "truncate"}
    return row | {"operation": "schema_change", "ddl": text, "ddl_kind": done}


def kafka_key_names(record):
    """Names of the key columns in the Kafka key, None if there are none."""
    try:
        key = json.loads(wire_bytes(record, "key") or b"null")
    except ValueError:
        return None
    if isinstance(key, dict):
        found = [name[3:] for name in key if name.startswith("pk.")]
    elif isinstance(key, list) and len(key) > 2 and isinstance(key[2], list):
        found = [name for part in key[2] for name in part]
    else:
        return None
    return found or None


def as_the_row_spells(wanted, columns):
    """Names of columns with the row's case."""
    spelled = {name.lower(): name for name in reversed(columns)}
    return wanted and [spelled.get(name.lower(), name) for name in wanted]


def row_change(row, kind, message, sent, record):
    """The change of one row: one row, or two where it moves to another key."""
    options = record.get("feed", {})
    new = image(sent)
    if new is None:
        raise Bad("the row is missing, has no columns, or is not an object")
    check_bare_numbers(row, options, sent, message.get("old") if kind == "update" else None)
    changed = None
    if kind == "update" and isinstance(message.get("old"), dict):
        changed = {name: wire_text(value) for name, value in message["old"].items()}
    table = ".".join(part for part in (row["database_name"], row["table_name"]) if part)
    keys = options.get("key_columns", {}).get(table) or as_the_row_spells(
        names(message.get("primary_key_columns")) or kafka_key_names(record), list(new)
    )
    key = key_of(keys, new)
    old_key = None if changed is None else key_of(keys, new | changed)
    is_partial = kind == "update" and row_images_of_a_binlog(keys, changed, options)
    if is_partial and key is None:
        raise Bad(NO_ROW)
    is_dropped = options.get("output_nulls") == "dropped"
    before, is_complete = None, False
    if kind == "delete":
        before, is_complete = new, not keys or bool(set(new) - set(keys))
    elif changed and is_dropped:
        before = changed
    elif changed and is_partial:
        before = known_before(keys, new, changed)
    elif changed:
        before, is_complete = new | changed, True
    before_part = {"before_image": before, "is_before_complete": is_complete}
    after_part = {"after_image": new, "is_after_complete": not is_partial}
    after_part = {} if kind == "delete" else after_part
    row = row | {"key_columns": keys, "row_key": key}
    row["snapshot_mark"] = kind if kind == "bootstrap-insert" else None
    if kind == "update" and None not in (key, old_key) and key != old_key:
        position = row["change_sequence"]["position"]
        upsert = {"operation": "upsert", "previous_row_key": old_key, "row_index": 1}
        return [
            row | before_part | {"operation": "delete", "row_key": old_key},
            sequence(row | after_part | upsert, position=position),
        ]
    return [row | before_part | after_part | {"operation": ROW_CHANGES[kind]}]
