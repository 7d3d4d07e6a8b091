"""What a dtle record must become, in plain Python: a second reading of docs/formats/dtle.md."""

import base64
import binascii
import hashlib
import re

from tests.formats import statements
from tests.formats.reference import (
    NO_JSON_KEY,
    Bad,
    base_row,
    check_statement,
    ddl_kind,
    debezium_key,
    field,
    image,
    instant,
    key_of,
    millis,
    read_document,
    sequence,
    whole,
    wire_bytes,
    with_relative,
)

TOMBSTONE = '{"schema":null,"payload":null}'


def rows(record):
    """Rows of one dtle record."""
    row = sequence(base_row(record, "dtle") | {"order_scope": "position"})
    raw, key = wire_bytes(record, "value"), wire_bytes(record, "key")
    key_image, key_is_odd = debezium_key(None if key is None else key.decode("utf-8", "replace"))
    text = "" if raw is None else raw.decode("utf-8", "replace")
    try:
        message = {}
        if raw is not None and text != TOMBSTONE:
            message, text = read_document(raw)
            row = head(row, message)
        if record.get("load_error"):
            raise Bad(record["load_error"])
        if raw is None or text == TOMBSTONE:
            if key_is_odd and not record.get("feed", {}).get("key_columns"):
                raise Bad(NO_JSON_KEY)
            return [row | {"operation": "tombstone"} | key_part(key_image)]
        return rows_of_message(row, message, record.get("feed", {}), key_image, key_is_odd)
    except Bad as reason:
        # its own sign comes before those of others
        is_dtle = '"ts_sec":' in text and '"connector":' not in text
        error = str(reason) if is_dtle else with_relative(str(reason), text, "dtle")
        if error == str(reason) and not is_dtle and '"tableChanges":' in text:
            error += "; this looks like debezium_json"
        return [row | {"operation": "unknown", "error": error}]


def key_part(key_image):
    """Key columns and values of a Kafka key."""
    if not key_image:
        return {}
    return {"key_columns": list(key_image), "row_key": list(key_image.values())}


def place_of(message):
    """The object that says where in the source a message comes from."""
    payload = field(message, "payload", dict)
    if payload is None:
        return field(message, "position", dict) or {}
    return field(payload, "source", dict) or {}


def is_statement(message):
    """Whether the message tells of a DDL statement."""
    return field(message, "payload", dict) is None and field(message, "ddl") is not None


def position_of(place):
    """File number and place in the file; nothing where there is no place."""
    file_number = re.search(r"\.([0-9]{1,38})\Z", field(place, "file") or "")
    number = field(place, "pos") or ""
    if not file_number or not re.fullmatch("[0-9]{1,38}", number):
        return []
    return [int(file_number[1]), int(number)]


def head(row, message):
    """The row with what a message says apart from its images."""
    payload = field(message, "payload", dict) or {}
    source, place = field(payload, "source", dict) or {}, place_of(message)
    types, seconds = field(message, "schema"), field(place, "ts_sec")
    changes = field(message, "tableChanges", list) or [{}]
    op = field(payload, "op")
    gtid, file_name = field(source, "gtid") or None, field(source, "file")
    row = row | {
        "source_operation": field(changes[0], "type") if op is None else op,
        "database_name": field(source, "db") or None,
        "table_name": field(source, "table") or None,
        "schema_id": types if types is None else hashlib.md5(types.encode()).hexdigest(),
        "schema_text": types,
        "captured_at": millis(field(payload, "ts_ms")),
        "transaction_id": gtid,
    }
    if whole(seconds) not in (None, 0):
        row["changed_at"] = instant(whole(seconds) * 1_000_000)
    if seconds is not None and field(source, "connector") is None:
        row["source_type"] = "mysql"
    if gtid and file_name is not None:
        row["position_space"] = f"{gtid.split(':')[0]}/{file_name.rpartition('.')[0]}"
    if is_statement(message):
        row |= names_of_statement(message)
    elif not payload:
        row["database_name"] = field(message, "databaseName") or None
    is_full_load = (field(place, "snapshot") or "").lower() == "true"
    return sequence(row, 0 if is_full_load else 1, position_of(place))


def names_of_statement(message):
    """Database and table that a statement is about."""
    default = field(message, "databaseName") or None
    statement = statements.read(field(message, "ddl"))
    if statement is None or not statement.tables:
        return {"database_name": default, "table_name": None}
    *holders, table = statement.tables[0]
    if statement.is_of_database:
        name = default if statement.kind == "alter" else table
        return {"database_name": name, "table_name": None}
    if statement.kind == "other":
        return {"database_name": default, "table_name": None}
    return {"database_name": holders[-1] if holders else default, "table_name": table}


def rows_of_message(row, message, options, key_image, key_is_odd):
    """Rows of a message that is JSON."""
    payload, place = field(message, "payload", dict), place_of(message)
    if payload is None and not is_statement(message):
        raise Bad("there is neither a payload nor a ddl")
    connector = field(place, "connector") if payload is not None else None
    if connector is not None:
        raise Bad(f"source.connector is {connector}, but dtle writes none")
    if field(place, "ts_sec") is None:
        raise Bad("ts_sec is missing")
    for holder, name in ((place, "ts_sec"), (payload, "ts_ms")):
        if field(holder, name) is not None and whole(field(holder, name)) is None:
            raise Bad(f"{name} is not a whole number: {field(holder, name)}")
    snapshot = field(place, "snapshot")
    if snapshot is not None and snapshot.lower() not in ("true", "false"):
        raise Bad(f"snapshot is neither true nor false: {snapshot}")
    if payload is None:
        return [statement(row, field(message, "ddl"))]
    return row_change(row, payload, options, key_image, key_is_odd)


def statement(row, ddl):
    """The row of a DDL statement."""
    kind = ddl_kind(ddl)
    check_statement(row, kind, ddl)
    if kind in ("truncate", "drop") and row["change_sequence"]["phase"] == 0:
        return row | {"operation": "ignored"}
    operation = "truncate" if kind == "truncate" else "schema_change"
    return row | {"operation": operation, "ddl": ddl, "ddl_kind": kind}


def row_change(row, payload, options, key_image, key_is_odd):
    """The change of one row: one row, or two where it moves to another key."""
    op, is_full_load = field(payload, "op"), row["change_sequence"]["phase"] == 0
    if op is None:
        raise Bad("op is missing")
    if op not in ("c", "u", "d"):
        raise Bad(f"op is not known: {op}")
    if is_full_load and op != "c":
        raise Bad(f"op {op} in a full load, which has only c")
    if row["table_name"] is None:
        raise Bad("source.table is missing")
    old = None if op == "c" else image(payload.get("before"))
    new = None if op == "d" else image(payload.get("after"))
    if op != "d" and new is None:
        raise Bad(f"op {op} without an after image")
    if op != "c" and old is None:
        raise Bad(f"op {op} without a before image")
    table = ".".join(filter(None, (row["database_name"], row["table_name"])))
    if is_full_load and "base64_columns" in options:
        listed = re.split(r"\s*,\s*", options["base64_columns"])
        new = {
            name: restored(text) if f"{table}.{name}" in listed else text
            for name, text in new.items()
        }
    keys = options.get("key_columns", {}).get(table)
    if keys is None and key_is_odd:
        raise Bad(NO_JSON_KEY)
    keys = keys or (list(key_image) if key_image else None)
    key, old_key = key_of(keys, new or old), key_of(keys, old)
    row = row | {"key_columns": keys, "row_key": key}
    where = row["change_sequence"]
    if keys is None and where["position"]:
        # it tells equal rows of a table without a key apart
        number = field(payload["source"], "row") or ""
        apart = int(number) if re.fullmatch("[0-9]{1,38}", number) else 0
        sequence(row, where["phase"], [*where["position"], apart])
    before = {"before_image": old, "is_before_complete": old is not None}
    after = {"after_image": new, "is_after_complete": new is not None}
    if op == "u" and None not in (key, old_key) and key != old_key:
        upsert = {"operation": "upsert", "previous_row_key": old_key, "row_index": 1}
        return [
            row | before | {"operation": "delete", "row_key": old_key},
            sequence(row | after | upsert, 1, row["change_sequence"]["position"]),
        ]
    if is_full_load:
        row |= {"operation": "snapshot", "snapshot_mark": field(payload["source"], "snapshot")}
    else:
        row |= {"operation": {"c": "insert", "u": "update", "d": "delete"}[op]}
    return [row | before | after]


def restored(text):
    """The text behind base64, or the text itself where it is none."""
    try:
        plain = base64.b64decode(text or "", validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return text
    if text is None:
        return None
    return "" if re.fullmatch(r"char\([0-9]+\)", plain) else plain
