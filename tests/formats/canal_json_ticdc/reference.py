"""What TiCDC's canal-json must become: Canal's rules, and what docs/formats/canal_json_ticdc.md changes."""

import re

from tests.formats.canal_family import changes_of_canal, read
from tests.formats.reference import Bad, canal_head, field, ranked, sequence

ROWS = ("insert", "update", "delete", "upsert", "snapshot")


def rows(record):
    """Rows of one record."""
    found = read(record, "canal_json_ticdc", head, changes)
    for row in found:
        commit = row.pop("commit", None)
        if commit:
            row["order_scope"] = "position"
            sequence(row, row["change_sequence"]["phase"], [commit])
    return ranked(found)


def head(message):
    """Canal's, with the number of the commit."""
    text = field(extension(message), "commitTs") or "0"
    commit = int(text) if re.fullmatch("[0-9]{1,20}", text) else 0
    return canal_head(message) | {"source_type": "tidb", "commit": commit}


def extension(message):
    """The object `_tidb`, or an empty one."""
    return field(message, "_tidb", dict) or {}


def changes(row, message, feed):
    """Rows of a message that is JSON."""
    word, tidb = (field(message, "type") or "").upper(), extension(message)
    commit = field(tidb, "commitTs")
    if commit is not None and not re.fullmatch("[0-9]{1,20}", commit):
        raise Bad(f"commitTs is not a whole number: {commit}")
    if word != "DELETE":
        if field(tidb, "claimCheckLocation"):
            place = field(tidb, "claimCheckLocation")
            raise Bad(f"the row was too large for Kafka and lies at {place}")
        if (field(tidb, "onlyHandleKey") or "").lower() == "true":
            raise Bad(
                "the row was too large for Kafka: the message has only its key (onlyHandleKey)"
            )
    if word == "TIDB_WATERMARK":
        changes_of_canal(row, message | {"type": "GTID"}, feed)
        return [row | {"operation": "heartbeat"}]
    found = changes_of_canal(row, message, feed)
    for change in found:
        if word == "DELETE" and change["operation"] == "delete":
            others = set(change["before_image"]) - set(
                change["key_columns"] or change["before_image"]
            )
            change["is_before_complete"] = bool(others)
    return found
