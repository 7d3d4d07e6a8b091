"""What a record of qlik_replicate must become, read from docs/formats/qlik_replicate.md and not from the SQL."""

import hashlib
import re

from tests.formats.aws_dms.reference import iso_instant
from tests.formats.reference import (
    Bad,
    base_row,
    compact,
    field,
    image,
    key_of,
    read_document,
    sequence,
    wire_bytes,
    with_relative,
    without_value,
)

ROWS = {"REFRESH": "snapshot", "INSERT": "insert", "UPDATE": "update", "DELETE": "delete"}


def rows(record):
    """Rows of one record."""
    row = sequence(base_row(record, "qlik_replicate") | {"order_scope": "position"})
    raw = wire_bytes(record, "value")
    text = "" if raw is None else raw.decode("utf-8", "replace")
    body, kind = {}, None
    try:
        if raw is not None:
            envelope, text = read_document(raw)
            inner = envelope.get("message")
            body = inner if isinstance(inner, dict) else envelope
            structure = body.get("tableStructure")
            kind = field(envelope, "type") or ("DT" if structure is None else "MD")
            if field(envelope, "type") == "":
                kind = ""
            row = head(row, body, kind, record)
            if row["source_operation"] is None:
                row["source_operation"] = field(envelope, "type")
        if record.get("load_error"):
            raise Bad(record["load_error"])
        if raw is None:
            return [without_value(row, wire_bytes(record, "key"))]
        return rows_of_message(row, body, kind, record.get("feed", {}))
    except Bad as reason:
        # its own signs come before those of others
        is_own = '"changeSequence":' in text or '"magic":' in text
        error = str(reason) if is_own else with_relative(str(reason), text, "qlik_replicate")
        return [row | {"operation": "unknown", "error": error}]


def head(row, body, kind, record):
    """The row with what a message says apart from its images."""
    headers = field(body, "headers", dict) or {}
    lineage = field(body, "lineage", dict) or {}
    structure = body.get("tableStructure")
    types = structure if isinstance(structure, str | None) else compact(structure)
    word = field(headers, "operation")
    path = record.get("feed", {}).get("table", record["topic"]).split(".")
    names = (field(lineage, "schema"), field(lineage, "table"))
    if kind != "MD":
        names = (path[-2] if len(path) > 1 else None, path[-1])
    row = row | {
        "source_operation": word,
        "schema_name": names[0] or None,
        "table_name": names[1] or None,
        "schema_id": types if types is None else hashlib.md5(types.encode()).hexdigest(),
        "schema_text": types,
        "changed_at": iso_instant(field(headers, "timestamp")),
        "transaction_id": field(headers, "transactionId") or None,
    }
    if word == "REFRESH":
        return sequence(row, phase=0)
    number = field(headers, "changeSequence") or ""
    is_number = word is not None and re.fullmatch("[0-9]{1,38}", number)
    return sequence(row, position=[int(number)] if is_number else [])


def rows_of_message(row, body, kind, options):
    """Rows of a message that is JSON."""
    if kind == "MD":
        return [row | {"operation": "ignored"}]
    if kind != "DT":
        raise Bad(f"type is neither DT nor MD: {kind}")
    headers = field(body, "headers", dict) or {}
    word = field(headers, "operation")
    if word is None:
        raise Bad("headers.operation is missing")
    if word not in ROWS:
        raise Bad(f"headers.operation is not known: {word}")
    changed = field(headers, "timestamp")
    if changed is not None and row["changed_at"] is None:
        raise Bad(f"headers.timestamp is not an ISO time: {changed}")
    sent, before = image(body.get("data")), image(body.get("beforeData"))
    if sent is None and word != "DELETE":
        raise Bad(f"operation {word} without columns in data")
    if sent is None and before is None:
        raise Bad("operation DELETE without columns in data and beforeData")
    absent = absent_columns(sent or {}, field(headers, "columnMask") or "")
    if sent is not None:
        sent = {name: text for name, text in sent.items() if name not in absent}
    path = ".".join(filter(None, (row["schema_name"], row["table_name"])))
    keys = options.get("key_columns", {}).get(path)
    row = row | {"operation": ROWS[word], "key_columns": keys}
    if word == "DELETE":
        gone = sent if before is None else before
        missing = absent if before is None else []
        return [
            row
            | {"before_image": gone, "before_unavailable": missing, "row_key": key_of(keys, gone)}
        ]
    after_part = {
        "after_image": sent,
        "after_unavailable": absent,
        "is_after_complete": not absent
        and (word != "UPDATE" or options.get("after_images") == "complete"),
    }
    key = key_of(keys, sent)
    if word == "REFRESH":
        row["snapshot_mark"] = word
    if word != "UPDATE" or before is None:
        return [row | after_part | {"row_key": key}]
    old_key = key_of(keys, sent | before)
    if None in (key, old_key) or key == old_key:
        return [row | after_part | {"row_key": key, "before_image": before}]
    moved = {
        "operation": "upsert",
        "row_key": key,
        "previous_row_key": old_key,
        "row_index": 1,
    }
    return [
        row | {"operation": "delete", "row_key": old_key, "before_image": before},
        sequence(row | after_part | moved, position=row["change_sequence"]["position"]),
    ]


def absent_columns(sent, mask):
    """Columns that are NULL in a row, and not there by the mask."""
    if not re.fullmatch("([0-9A-Fa-f]{2})+", mask):
        return []
    bits = int.from_bytes(bytes.fromhex(mask), "little")
    if bits.bit_count() >= len(sent):
        return []
    return [
        name for n, (name, text) in enumerate(sent.items()) if text is None and not bits >> n & 1
    ]
