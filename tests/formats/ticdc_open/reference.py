"""What a record of TiCDC's open protocol must become, read a second time from docs/formats/ticdc_open.md."""

import hashlib
import re
from struct import unpack

from tests.formats.reference import (
    Bad,
    Number,
    base_row,
    check_statement,
    compact,
    ddl_kind,
    field,
    image,
    instant,
    key_of,
    ranked,
    read_document,
    read_json,
    sequence,
    wire_bytes,
    with_relative,
    without_value,
)

VERSION = b"\x00" * 7 + b"\x01"
LZ4 = b"\x04\x22\x4d\x18"
ACTIONS = {"1": "create", "2": "drop", "3": "create", "4": "drop", "5": "alter", "6": "alter"}
ACTIONS |= {"11": "truncate", "14": "rename"}
ONE_ROW, STATEMENT, RESOLVED = "1", "2", "3"


def rows(record):
    """Rows of one record: of every entry one, or two."""
    return ranked(unranked(record))


def unranked(record):
    """The same with the number of the commit alone as the position."""
    row = base_row(record, "ticdc_open") | {"order_scope": "position"}
    key, value = wire_bytes(record, "key"), wire_bytes(record, "value")
    try:
        if record.get("load_error"):
            raise Bad(record["load_error"])
        entries, is_framed = entries_of(key, value)
    except Bad as reason:
        return [sequence(row | {"operation": "unknown", "error": str(reason)})]
    found = []
    for number, (entry_key, entry_value) in enumerate(entries):
        start = row | {"row_index": 2 * number}
        found += rows_of_entry(start, entry_key, entry_value, is_framed, record.get("feed", {}))
    return found


def entries_of(key, value):
    """The pairs of key and value in a record, and whether they stood in frames."""
    if value is None or not (value[:1] == b"\x00" or (key or b"")[:1] == b"\x00"):
        return [(key, value)], False
    if key is None:
        raise Bad("the value has frames, but there is no Kafka key")
    if key[:8] != VERSION:
        found = key[:8].hex().upper()
        raise Bad(f"the Kafka key does not begin with version 1, but with {found}")
    keys, trouble = unframed(key[8:])
    if trouble:
        raise Bad(f"the Kafka key {trouble}")
    if not keys:
        raise Bad("the Kafka key has no entries")
    values, trouble = unframed(value)
    if len(values) > len(keys):
        raise Bad(f"the value has more entries than the Kafka key, which has {len(keys)}")
    if trouble:
        raise Bad(f"the value {trouble}")
    if len(values) < len(keys):
        raise Bad(f"entries in the Kafka key: {len(keys)}, in the value: {len(values)}")
    return list(zip(keys, values, strict=True)), True


def unframed(content):
    """Entries behind their lengths, and what is wrong with the bytes that are left."""
    found = []
    while content:
        if len(content) < 8:
            return found, f"has {len(content)} bytes after its last entry"
        (size,) = unpack(">q", content[:8])
        number = len(found) + 1
        if not 0 <= size < 2**31:
            head = content[:8].hex().upper()
            return found, f"has an impossible length for entry {number}: {head}"
        if size > len(content) - 8:
            there = f"which has {size} bytes by its length, but {len(content) - 8}"
            return found, f"ends within entry {number}, {there}"
        found.append(content[8 : 8 + size])
        content = content[8 + size :]
    return found, None


def rows_of_entry(row, key, value, is_framed, options):
    """Rows of one pair."""
    text, message, address, trouble = "", None, read_address(key), None
    if value is not None:
        text = value.decode("utf-8", "replace")
        try:
            message, text = read_document(value)
        except Bad as reason:
            trouble = str(reason)
    row = sequence(row | head(address), position=position(address))
    row |= told(message or {}, (address or {}).get("t"))
    try:
        is_plain = not is_framed or not value or value[:1] == b"{"
        if trouble and (value[:4] == LZ4 or not is_plain):
            raise Bad(
                "the value is compressed, or no JSON object:"
                " set large-message-handle-compression of the changefeed to none"
            )
        if value is None and (address or {}).get("t") != RESOLVED:
            return [without_value(row, key)]
        return changes(row, address, value, message, trouble, options)
    except Bad as reason:
        error = with_relative(str(reason), text, "ticdc_open")
        if '"commitTs":' in text:
            error = f"{reason}; this looks like ticdc_simple"
        return [row | {"operation": "unknown", "error": error}]


def read_address(key):
    """The one object that a key holds, its fields as text; None for anything else."""
    try:
        found = read_json("[" + (key or b"").decode("utf-8") + "]")
    except (ValueError, RecursionError):
        return None
    if len(found) != 1 or not isinstance(found[0], dict):
        return None
    return {name: field(found[0], name) for name in ("ts", "scm", "tbl", "t", "ohk", "ccl")}


def commit_of(address):
    """The commit's number, 0 where there is none."""
    text = (address or {}).get("ts") or ""
    return int(text) if re.fullmatch("[0-9]{1,20}", text) else 0


def position(address):
    """The position of a commit."""
    return [commit_of(address)] if commit_of(address) else []


def head(address):
    """What a key says of its row."""
    if address is None:
        return {}
    commit = commit_of(address)
    return {
        "source_type": "tidb" if address["ts"] is not None else None,
        "database_name": address["scm"] or None,
        "table_name": address["tbl"] or None,
        "changed_at": instant((commit >> 18) * 1000) if 0 < commit < 2**63 else None,
    }


def columns_of(message, name):
    """The columns of a row; None for anything else than an object of objects, and for one without columns."""
    found = field(message, name, dict)
    if not found or not all(isinstance(column, dict | None) for column in found.values()):
        return None
    return {column: sent or {} for column, sent in found.items()}


def told(message, kind):
    """The vendor's word, and the types."""
    sent = {name: columns_of(message, name) for name in "upd"}
    words = [name for name in "upd" if sent[name]]
    word = {RESOLVED: "resolved", STATEMENT: field(message, "t")}.get(kind, ", ".join(words))
    types = sent["d"] or sent["u"]
    if types is None:
        return {"source_operation": word or None}
    text = compact({name: type_of(column) for name, column in types.items()})
    schema = {"schema_id": hashlib.md5(text.encode()).hexdigest(), "schema_text": text}
    return {"source_operation": word or None} | schema


def type_of(column):
    """Type and flag of a column, as text; a fraction stands as it came."""
    found = {name: field(column, name) for name in ("t", "f")}
    return {
        name: Number(text) if re.fullmatch(r"-?\d+(\.\d+.*|[eE].*)", text) else text
        for name, text in found.items()
        if text is not None
    }


def changes(row, address, value, message, trouble, options):
    """Rows of a pair whose texts were read."""
    kind = (address or {}).get("t")
    if trouble and not (kind == RESOLVED and not value):
        raise Bad(trouble)
    check_address(address)
    if kind == RESOLVED:
        if message is not None:
            raise Bad("a resolved event (t 3 in the Kafka key) with a value")
        return [row | {"operation": "heartbeat"}]
    if kind == STATEMENT:
        return [statement(row, message)]
    if kind != ONE_ROW:
        raise Bad(f"t of the Kafka key is not known: {kind}")
    if row["table_name"] is None:
        raise Bad("tbl is missing in the Kafka key")
    return change(row, message, address, options)


def check_address(address):
    """Raises what is wrong with a key."""
    if address is None:
        raise Bad("the Kafka key, which names commit and table, is not one JSON object")
    if address["ts"] is None:
        raise Bad("ts is missing in the Kafka key")
    if not re.fullmatch("[0-9]{1,20}", address["ts"]):
        raise Bad(f"ts of the Kafka key is not a whole number: {address['ts']}")
    if address["t"] is None:
        raise Bad("t is missing in the Kafka key")
    if address["ohk"] is not None and address["ohk"].lower() not in ("true", "false"):
        raise Bad(f"ohk of the Kafka key is neither true nor false: {address['ohk']}")


def statement(row, message):
    """The row of a DDL text."""
    text, action = field(message, "q"), field(message, "t")
    if text is None:
        raise Bad("q is missing")
    if action is None:
        raise Bad("t is missing")
    if not re.fullmatch("[0-9]{1,9}", action):
        raise Bad(f"t is not a whole number: {action}")
    kind = ACTIONS.get(action) or ddl_kind(text)
    if kind == "truncate" and row["table_name"] is None:
        raise Bad("tbl is missing in the Kafka key")
    check_statement(row, kind, text, one_message_each=True)
    operation = "truncate" if kind == "truncate" else "schema_change"
    return row | {"operation": operation, "ddl": text, "ddl_kind": kind}


def is_handle(column):
    """Whether a column is of the key that identifies its row."""
    flag = field(column, "f") or ""
    is_flagged = re.fullmatch(r"-?\d{1,18}", flag) and int(flag) & 2
    return field(column, "h") == "true" or bool(is_flagged)


def values(columns):
    """The image of columns."""
    return columns and image({name: column.get("v") for name, column in columns.items()})


def change(row, message, address, options):
    """The change of one row: one row, or two where it moves to another key."""
    sent = {name: columns_of(message, name) for name in "upd"}
    new, old, deleted = (values(sent[name]) for name in "upd")
    is_key_alone = (address["ohk"] or "").lower() == "true" or bool(address["ccl"])
    if not new and not deleted:
        raise Bad("no columns in u or d")
    if deleted and (new or old):
        raise Bad("d beside u or p: one row is either deleted or written")
    if new and address["ccl"]:
        raise Bad(f"the row was too large for Kafka and lies at {address['ccl']}")
    if new and is_key_alone:
        raise Bad("the row was too large for Kafka: the message has only its key (ohk)")
    handle = [name for name, column in (sent["d"] or sent["u"]).items() if is_handle(column)]
    table = ".".join(name for name in (row["database_name"], row["table_name"]) if name)
    keys = options.get("key_columns", {}).get(table) or handle or None
    before = deleted or (new | old if old else None)
    is_whole = bool(before) and (not deleted or (not is_key_alone and len(handle) < len(before)))
    row |= {"key_columns": keys, "row_key": key_of(keys, new or before)}
    old_part = {"before_image": before, "is_before_complete": is_whole}
    new_part = {"after_image": new, "is_after_complete": new is not None}
    old_key = key_of(keys, before)
    if old and None not in (old_key, row["row_key"]) and old_key != row["row_key"]:
        upsert = {"operation": "upsert", "previous_row_key": old_key}
        upsert["row_index"] = row["row_index"] + 1
        return [
            row | old_part | {"operation": "delete", "row_key": old_key},
            sequence(row | new_part | upsert, position=position(address)),
        ]
    written = "upsert" if options.get("old_values") == "dropped" else "insert"
    operation = "delete" if deleted else "update" if old else written
    return [row | old_part | new_part | {"operation": operation}]
