"""What a record of Flink's Debezium formats must become, read a second time from docs/formats/flink_cdc_debezium.md."""

import re

from tests.formats.reference import Bad, field, image, unavailable_texts
from tests.formats.ticdc_debezium.reference import ROW_WORDS, enveloped, key_text, object_of


def rows(record):
    """Rows of one record."""
    placeholders = unavailable_texts(record.get("feed"))
    return enveloped(
        record,
        "flink_cdc_debezium",
        read_head,
        read_operation,
        read_key,
        bears_signs,
        placeholders,
    )


def read_head(body, record):
    """What a message says apart from its row; the feed names the table of one that does not."""
    source = field(body, "source", dict) or {}
    database, table = field(source, "db"), field(source, "table")
    if not table:
        database, _, table = record.get("feed", {}).get("table_name", "").rpartition(".")
    return {
        "source_operation": field(body, "op"),
        "database_name": database or None,
        "table_name": table or None,
        "position": [],
    }


def read_operation(row, body):
    """The operation of a message."""
    op, source = field(body, "op"), field(body, "source", dict) or {}
    if op not in ROW_WORDS:
        raise Bad("op is missing" if op is None else f"op is not known: {op}")
    if field(source, "connector") is not None:
        raise Bad(f"source.connector is {field(source, 'connector')}, and Flink writes none")
    if row["table_name"] is None:
        raise Bad("the message names no table: name it in the setting table_name of the feed")
    return {"operation": ROW_WORDS[op]}


def read_key(record):
    """The columns of the Kafka key: Flink CDC puts the table's name before them."""
    key = object_of(key_text(record))
    return key and image({name: value for name, value in key.items() if name != "TableId"})


def bears_signs(text):
    """Whether a text is an envelope without a connector."""
    return '"connector":' not in text and re.match(r'\s*\{\s*"(source|before|after|op)":', text)
