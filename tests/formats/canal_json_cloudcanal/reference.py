"""What CloudCanal's canal output must become: Canal's rules, and what docs/formats/canal_json_cloudcanal.md changes."""

import hashlib

from tests.formats.cloudcanal_json.reference import types_told
from tests.formats.reference import (
    Bad,
    base_row,
    canal_head,
    canal_list,
    canal_rows,
    field,
    read_document,
    sequence,
    wire_bytes,
    with_relative,
    without_value,
)

FORMAT = "canal_json_cloudcanal"


def rows(record):
    """Rows of one record."""
    row = sequence(base_row(record, FORMAT))
    raw = wire_bytes(record, "value")
    text = "" if raw is None else raw.decode("utf-8", "replace")
    try:
        message = {}
        if raw is not None:
            message, text = read_document(raw)
            types = types_told(message, "mysqlType", "sqlType", "tableChanges")
            row |= canal_head(message) | {
                "schema_id": types and hashlib.md5(types.encode()).hexdigest(),
                "schema_text": types,
            }
        if record.get("load_error"):
            raise Bad(record["load_error"])
        if raw is None:
            return [without_value(row, wire_bytes(record, "key"))]
        found = canal_rows(row, as_canal_sends(message), record.get("feed", {}))
        if found[0]["operation"] == "truncate" and row["table_name"] is None:
            raise Bad("table is missing")
        return found
    except Bad as reason:
        return [row | {"operation": "unknown", "error": error(str(reason), text)}]


def error(reason, text):
    """The reason; Canal's relatives cannot be told apart by their text, so none is named."""
    return reason if '"isDdl":' in text else with_relative(reason, text, FORMAT)


def as_canal_sends(message):
    """The message with null for lists in which no row stands, where Canal would have null."""
    word = (field(message, "type") or "").upper()
    if word == "DELETE" and not any(canal_list(message, "data") or []):
        return message | {"data": None}
    if word == "UPDATE" and not canal_list(message, "old"):
        return message | {"old": None}
    return message
