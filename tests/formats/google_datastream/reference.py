"""What a record of google_datastream must become, read from docs/formats/google_datastream.md and not from the SQL."""

import re

from tests.formats.aws_dms.reference import iso_instant
from tests.formats.reference import (
    Bad,
    base_row,
    field,
    image,
    instant,
    key_of,
    names,
    read_document,
    sequence,
    whole,
    wire_bytes,
    with_relative,
    without_value,
)

ROWS = {
    "INSERT": "insert",
    "UPDATE": "update",
    "UPDATE-INSERT": "insert",
    "UPDATE-DELETE": "delete",
    "DELETE": "delete",
}
RANKS = {"UPDATE-INSERT": 2, "UPDATE-DELETE": 1, "DELETE": 1}
POSITIONAL = ("mysql", "oracle", "postgresql", "sqlserver")


def rows(record):
    """The one row of a record."""
    row = sequence(base_row(record, "google_datastream"))
    raw = wire_bytes(record, "value")
    text = "" if raw is None else raw.decode("utf-8", "replace")
    message = {}
    try:
        if raw is not None:
            message, text = read_document(raw)
            row = head(row, message)
        if record.get("load_error"):
            raise Bad(record["load_error"])
        if raw is None:
            return [without_value(row, wire_bytes(record, "key"))]
        return [row_of_message(row, message, record.get("feed", {}))]
    except Bad as reason:
        # its own sign comes before those of others
        is_own = '"read_method":' in text
        error = str(reason) if is_own else with_relative(str(reason), text, "google_datastream")
        return [row | {"operation": "unknown", "error": error}]


def moment(text):
    """Milliseconds since 1970, or an ISO time."""
    if whole(text) is None:
        return iso_instant(text)
    # Spark's last microsecond
    return instant(whole(text) * 1000) if abs(whole(text)) < 2**63 // 1000 else None


def head(row, message):
    """The row with what a message says apart from its image."""
    source = field(message, "source_metadata", dict) or {}
    method, word = field(message, "read_method"), field(source, "change_type")
    engine = engine_of(method or "", source)
    row = row | {
        "source_operation": word,
        "source_type": engine,
        "database_name": field(source, "database") or None,
        "schema_name": field(source, "schema") or None,
        "table_name": field(source, "table") or None,
        "changed_at": moment(field(message, "source_timestamp")),
        "captured_at": moment(field(message, "read_timestamp")),
        "transaction_id": field(source, "tx_id") or None,
    }
    if "backfill" in (method or "").split("-"):
        return sequence(row, phase=0)
    if engine in POSITIONAL:
        row["order_scope"] = "position"
    numbers = position(engine, source)
    if numbers and engine == "mysql":
        row["position_space"] = field(source, "log_file").rpartition(".")[0]
    return sequence(row, position=[*numbers, RANKS.get(word, 0)] if numbers else [])


def engine_of(method, source):
    """The source by its name, or by what places a change of a plain `cdc`."""
    word = method.split("-")[0].lower()
    if word == "cdc":
        lsn = field(source, "lsn") or ""
        shown = {
            "mysql": field(source, "log_file") is not None,
            "oracle": field(source, "scn") is not None,
            "postgresql": "/" in lsn,
            "sqlserver": ":" in lsn,
        }
        return next((name for name, is_shown in shown.items() if is_shown), None)
    return {"postgres": "postgresql", "backfill": None, "": None}.get(word, word)


def position(engine, source):
    """The numbers of the source's log position; none where it cannot be read."""

    def digits(name):
        text = field(source, name)
        return int(text) if text and re.fullmatch("[0-9]{1,38}", text) else None

    lsn = field(source, "lsn") or ""
    if engine == "mysql":
        number = re.search(r"\.([0-9]{1,38})$", field(source, "log_file") or "")
        found = [number and int(number[1]), digits("log_position")]
        return [] if None in found else found
    if engine == "oracle" and digits("scn") is not None:
        part = "([0-9a-fA-F]+)"
        place = re.fullmatch(rf" *0x{part}\.{part}\.{part} *", field(source, "rs_id") or "")
        numbers = [int(digit, 16) for digit in place.groups()] if place else [-1, -1, -1]
        ssn = whole(field(source, "ssn"))
        return [digits("scn"), *numbers, -1 if ssn is None else ssn]
    shapes = {"postgresql": ("/", 2), "sqlserver": (":", 3)}
    if engine in shapes:
        separator, size = shapes[engine]
        parts = lsn.split(separator)
        if len(parts) == size and all(re.fullmatch("[0-9a-fA-F]{1,8}", part) for part in parts):
            return [int(part, 16) for part in parts]
    return []


def row_of_message(row, message, options):
    """The row of a message that is JSON."""
    word, method = row["source_operation"], field(message, "read_method")
    if method is None:
        raise Bad("read_method is missing")
    if word is None:
        raise Bad("source_metadata.change_type is missing")
    source = field(message, "source_metadata", dict) or {}
    if row["table_name"] is None and field(source, "collection") is not None:
        raise Bad(
            "a document of MongoDB: source_metadata names a collection, and only tables are read"
        )
    if row["table_name"] is None:
        raise Bad("source_metadata.table is missing")
    for name in ("read_timestamp", "source_timestamp"):
        text = field(message, name)
        if text is not None and moment(text) is None:
            raise Bad(f"{name} is neither an ISO time nor milliseconds: {text}")
    if word not in ROWS:
        raise Bad(f"source_metadata.change_type is not known: {word}")
    is_backfill = "backfill" in method.split("-")
    if is_backfill and word != "INSERT":
        raise Bad(f"change_type {word} in a backfill, which has only INSERT")
    sent = image(message.get("payload"))
    is_removal = ROWS[word] == "delete"
    if sent is None:
        raise Bad(f"change_type {word} without columns in payload")
    keys = key_columns(row, message["source_metadata"], sent, options)
    row = row | {"key_columns": keys, "row_key": key_of(keys, sent)}
    if is_removal:
        return row | {"operation": "delete", "before_image": sent}
    if is_backfill:
        row |= {"snapshot_mark": method}
    return row | {
        "operation": "snapshot" if is_backfill else ROWS[word],
        "after_image": sent,
        "is_after_complete": word == "INSERT"
        or row["source_type"] in ("mysql", "oracle", "sqlserver"),
    }


def key_columns(row, source, sent, options):
    """The feed's key, else the message's, in the columns' own case."""
    path = ".".join(filter(None, (row["database_name"], row["schema_name"], row["table_name"])))
    from_feed = options.get("key_columns", {}).get(path)
    if from_feed:
        return from_feed
    told = names(source.get("primary_keys")) or names(source.get("replication_index"))
    if told is None:
        return None
    by_lower = {}
    for name in sent:
        by_lower.setdefault(name.lower(), name)
    return [name if name in sent else by_lower.get(name.lower(), name) for name in told]
