"""What the references of Canal's descent share; the rest of Canal's rules stands in reference.py."""

from tests.formats.reference import (
    Bad,
    base_row,
    canal_list,
    canal_rows,
    field,
    read_document,
    sequence,
    wire_bytes,
    with_relative,
    without_value,
)


def read(record, format_name, head, changes):
    """Rows of one record: `head(message)` and `changes(row, message, feed)` are the format's own."""
    row = sequence(base_row(record, format_name))
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
        return [row | {"operation": "unknown", "error": error(str(reason), text, format_name)}]


def error(reason, text, format_name):
    """The reason; Canal's relatives cannot be told apart by their text, so none is named."""
    return reason if '"isDdl":' in text else with_relative(reason, text, format_name)


def as_canal_sends(message):
    """The message with null for lists in which no row stands, where Canal would have null."""
    word = (field(message, "type") or "").upper()
    if word == "DELETE" and not any(canal_list(message, "data") or []):
        return message | {"data": None}
    if word == "UPDATE" and not canal_list(message, "old"):
        return message | {"old": None}
    return message


def changes_of_canal(row, message, feed):
    """Canal's rows; whatever truncates must name its table."""
    found = canal_rows(row, as_canal_sends(message), feed)
    if found[0]["operation"] == "truncate" and row["table_name"] is None:
        raise Bad("table is missing")
    return found
