"""What Flink's canal-json must become: Canal's rows, and what docs/formats/flink_cdc_canal.md changes."""

from tests.formats.canal_family import changes_of_canal, read
from tests.formats.reference import Bad, canal_head, field, image

WORDS = ("INSERT", "UPDATE", "DELETE")


def rows(record):
    """Rows of one record."""
    named = record.get("feed", {}).get("table_name", "")

    def head(message):
        names = canal_head(message) | {"source_type": None}
        if names["table_name"] is None:
            database, _, table = named.rpartition(".")
            names |= {"database_name": database or None, "table_name": table or None}
        return names

    return read(record, "flink_cdc_canal", head, changes)


def changes(row, message, feed):
    """Rows of a message that is JSON."""
    word = field(message, "type")
    if word is not None and word.upper() in WORDS and row["table_name"] is None:
        raise Bad("the message names no table: name it in the setting table_name of the feed")
    if word is not None and word.upper() not in WORDS:
        changes_of_canal(row, message | {"type": "GTID", "sql": None}, feed)
        raise Bad(f"type is not known: {word}")
    is_alone = isinstance(message.get("data"), dict) and not isinstance(message.get("old"), list)
    if is_alone and word in ("INSERT", "DELETE"):
        # SeaTunnel before 2.3.6 wrote its one row without a list around it
        message = message | {"data": [message["data"]] if message["data"] else None}
    found = changes_of_canal(row, message, feed)
    for change in found:
        # Canal's `old` has the changed columns, Flink's the whole row: a column that is not in it was NULL
        if word.upper() == "UPDATE" and change["is_before_complete"]:
            change["before_image"] = image(message["old"][change["row_index"] // 2])
    return found
