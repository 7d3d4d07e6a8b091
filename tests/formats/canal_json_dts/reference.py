"""What DTS's canal output must become: docs/formats/canal_json_dts.md in plain Python."""

from tests.formats.canal_family import read
from tests.formats.reference import (
    Bad,
    canal_head,
    canal_list,
    check_statement,
    ddl_kind_of_word_or_text,
    field,
    image,
    key_of,
    names,
    read_json,
    sequence,
    whole,
)

FORMAT = "canal_json_dts"
SINCE, BEFORE = "since_2022_03_20", "before_2022_03_20"
WORDS = {"INSERT": "insert", "UPDATE": "update", "DELETE": "delete", "INIT": "snapshot"}


def rows(record):
    """Rows of one record."""
    return read(record, FORMAT, head, changes)


def head(message):
    """No message says which kind of database it comes from."""
    return canal_head(message) | {"source_type": None}


def changes(row, message, feed):
    """Rows of a message that is JSON."""
    if field(message, "type") is None:
        raise Bad("type is missing")
    word = field(message, "type").upper()
    created = feed.get("dts_instance_created")
    if word in ("UPDATE", "DELETE"):
        check_generation(word, created, message)
    mark = (field(message, "isDdl") or "").lower()
    if message.get("isDdl") is not None and mark not in ("true", "false"):
        raise Bad(f"isDdl is neither true nor false: {field(message, 'isDdl')}")
    for name in ("es", "ts"):
        if field(message, name) is not None and whole(field(message, name)) is None:
            raise Bad(f"{name} is not a whole number: {field(message, name)}")
    if word in WORDS:
        if mark == "true":
            raise Bad(f"isDdl is true, but type is {field(message, 'type')}")
        return rows_of(row, message, word, created, feed)
    if mark != "true" and word != "DDL":
        raise Bad(f"type is not known: {field(message, 'type')}")
    return [row | statement(row, message, word)]


def check_generation(word, created, message):
    """The feed must say where the rows are, and the message must not say otherwise."""
    if created not in (SINCE, BEFORE):
        raise Bad(
            "whether data or old is the new row depends on when the DTS instance was created: "
            f"set dts_instance_created of the feed to {SINCE} or {BEFORE}"
        )
    here, there = ("data", "old") if created == SINCE else ("old", "data")
    if word == "DELETE" and not canal_list(message, here) and canal_list(message, there):
        raise Bad(
            f"the deleted row stands in {there}, but dts_instance_created of the feed is {created}"
        )


def statement(row, message, word):
    """A DDL message; words that Canal has for it keep their kind."""
    sql = field(message, "sql")
    known = {"CREATE": "create", "ALTER": "alter", "ERASE": "drop", "RENAME": "rename"}
    known |= {"CINDEX": "other", "DINDEX": "other"}
    kind = ddl_kind_of_word_or_text(known, word, sql)
    if kind == "truncate" and row["table_name"] is None:
        raise Bad("table is missing")
    check_statement(row, kind, sql)
    operation = "truncate" if kind == "truncate" else "schema_change"
    return {"operation": operation, "ddl": sql, "ddl_kind": kind}


def rows_of(row, message, word, created, feed):
    """One row per row image, two for a key change."""
    if row["table_name"] is None:
        raise Bad("table is missing")
    data, old = canal_list(message, "data"), canal_list(message, "old")
    is_reversed = word in ("UPDATE", "DELETE") and created == BEFORE
    place, images = ("old", old) if is_reversed else ("data", data)
    if not images and field(message, "sql"):
        raise Bad(
            f"a statement without row images (binlog_format is not ROW): {field(message, 'sql')}"
        )
    if not images:
        raise Bad(f"{place} is missing, empty, or not a list of rows")
    table = ".".join(part for part in (row["database_name"], row["table_name"]) if part)
    keys = feed.get("key_columns", {}).get(table) or names(message.get("pkNames"))
    are_paired = word == "UPDATE" and data and old and len(data) == len(old)
    found = []
    for index, item in enumerate(images):
        new = image(item)
        current = row | {"row_index": 2 * index}
        if new is None:
            reason = f"element {index} of {place} is not a row"
            found.append(sequence(current | {"operation": "unknown", "error": reason}))
            continue
        before = new if word == "DELETE" else None
        is_whole = word != "UPDATE"
        if are_paired and is_reversed and image(data[index]):
            new, before, is_whole = image(data[index]) | new, image(data[index]), True
            before = new | before
        elif are_paired and not is_reversed and image(old[index]):
            before, is_whole = new | image(old[index]), True
        found += of_image(current, message, word, keys, before, new, is_whole)
    return found


def of_image(row, message, word, keys, before, new, is_whole):
    """The change of one row image."""
    after = None if word == "DELETE" else new
    parts_before = {"before_image": before, "is_before_complete": has_all(message, before)}
    parts_after = {"after_image": after, "is_after_complete": after is not None and is_whole}
    key, old_key = key_of(keys, after or before), key_of(keys, before)
    row = row | {"key_columns": keys, "row_key": key}
    if word == "UPDATE" and None not in (key, old_key) and key != old_key:
        place = {"previous_row_key": old_key, "row_index": row["row_index"] + 1}
        return [
            sequence(row | parts_before | {"operation": "delete", "row_key": old_key}),
            sequence(row | parts_after | place | {"operation": "upsert"}),
        ]
    mark = {"snapshot_mark": row["source_operation"]} if word == "INIT" else {}
    row |= parts_before | parts_after | {"operation": WORDS[word]} | mark
    return [sequence(row, phase=0 if word == "INIT" else 1)]


def has_all(message, before):
    """Whether the image has every column that the message's types name."""
    types = message.get("mysqlType")
    if isinstance(types, str):
        try:
            types = read_json(types)
        except ValueError:
            return False
    return before is not None and isinstance(types, dict) and not set(types) - set(before)
