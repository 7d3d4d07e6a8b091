"""What a record of OMS's Debezium output must become, read a second time from docs/formats/oms_debezium.md."""

import re

from tests.formats.debezium_cloudcanal.reference import enveloped
from tests.formats.reference import field, instant, whole

OPERATIONS = {"c": "insert", "u": "update", "d": "delete", "HEARTBEAT": "heartbeat"}


def rows(record, format_name="oms_debezium"):
    """Rows of one record."""
    return enveloped(record, format_name, "oms_debezium", head, operation)


def head(message):
    """What a message says apart from its row."""
    source = field(message, "source", dict) or {}
    tenant, dot, database = (field(source, "db") or "").partition(".")
    position = re.fullmatch(r"([0-9]{1,38})@([0-9]{1,38})", field(source, "pos") or "")
    return {
        "source_operation": field(message, "op"),
        "source_type": (field(source, "connector") or "").lower() or None,
        "catalog_name": (tenant or None) if dot else None,
        "database_name": (database if dot else tenant) or None,
        "table_name": field(source, "table") or None,
        "changed_at": moment(None if is_without_time(source) else field(source, "ts_ms")),
        "captured_at": moment(field(message, "ts_ms")),
        "position": [int(position[2]), int(position[1])] if position else [],
    }


def is_without_time(source):
    """Whether a row comes from a full load: its source has no time, or 0."""
    return field(source, "ts_ms") in (None, "0")


def moment(text):
    """Seconds or milliseconds since 1970, told by the number of digits."""
    number = whole(text)
    if number is None:
        return None
    return instant(number * (1000 if len(text.strip().lstrip("-")) > 11 else 1_000_000))


def operation(message):
    """The operation that the words of a message tell; None where they tell none."""
    word = OPERATIONS.get(field(message, "op"))
    if word == "insert" and is_without_time(field(message, "source", dict) or {}):
        return {"operation": "snapshot"}
    return {"operation": word}
