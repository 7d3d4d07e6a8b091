"""What a record must become, in plain Python: a second reading of docs/formats, written apart from the SQL.

A format that is not read here has a module of its own, tests/formats/<format>/reference.py, with a function
`rows(record)`. It reads ordinary JSON only. Messages whose point is how Spark's parser reads odd JSON (twice-named columns, bare NaN,
single quotes, lone surrogates) are marked "by_hand" in messages.jsonl, and their rows in changes.jsonl are written by hand.

`python -m tests.formats.reference` writes every other row of the changes.jsonl files anew.
"""

import base64
import hashlib
import importlib
import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.formats import statements

HERE = Path(__file__).parent
FORMATS = sorted(path.parent.name for path in HERE.glob("*/messages.jsonl"))
COLUMNS = [
    "topic",
    "partition",
    "offset",
    "row_index",
    "feed",
    "topic_generation",
    "message_timestamp",
    "load_id",
    "bronze_version",
    "parser_version",
    "operation",
    "source_operation",
    "error",
    "source_type",
    "catalog_name",
    "database_name",
    "schema_name",
    "table_name",
    "key_columns",
    "row_key",
    "previous_row_key",
    "before_image",
    "after_image",
    "is_before_complete",
    "is_after_complete",
    "before_unavailable",
    "after_unavailable",
    "schema_id",
    "schema_text",
    "changed_at",
    "captured_at",
    "transaction_id",
    "change_sequence",
    "order_scope",
    "position_space",
    "snapshot_mark",
    "ddl",
    "ddl_kind",
]
PLACEHOLDER = "__debezium_unavailable_value"
ZERO = re.compile(
    r"-?0(\.0+)?([eE][-+]?\d+)?|false||AA==|AAA=|\[\]"
    r"|1970-01-01(T00:00:00(\.0+)?)?Z?|00:00:00(\.0+)?Z?|P0Y0M0DT0H0M0S|0{8}-0{4}-0{4}-0{4}-0{12}"
)
ZERO_STRUCTS = (
    {}, {"scale": None, "value": "AA=="}, {"wkb": "AQcAAAAAAAAA", "srid": None},
    {"x": 0.0, "y": 0.0, "wkb": "AQEAAAAAAAAAAAAAAAAAAAAAAAAA", "srid": None},
)  # fmt: skip
NO_JSON_KEY = "the Kafka key is not a JSON object: name the key columns of this table in the feed"
LOST_DELETE = (
    "a Kafka key without a value: on a compacted topic it may be all that is left of a delete,"
    " but of this format no row is read from the key"
)


class Number(str):
    """A JSON number as it is written."""


class Bad(Exception):
    """The record cannot be understood; the message says why."""


# JSON ---------------------------------------------------------------------------------------------


def read_document(raw):
    """The one JSON object that bytes hold."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise Bad("the value is not UTF-8 text") from None
    text = text.removeprefix("\ufeff")
    if text.startswith('"'):
        try:
            text = json.loads(text)
        except ValueError:
            raise Bad("the value is a broken JSON string") from None
    if not text.strip(" "):
        raise Bad("the value is empty")
    if text.strip(" ") == "null":
        raise Bad("the value is the JSON word null")
    if not text.lstrip(" ").startswith("{"):
        raise Bad("the value is not a JSON object")
    try:
        return read_json(text), text
    except (ValueError, RecursionError):
        raise Bad(
            "the value is not one whole JSON object: it is cut off, followed by more text,"
            " or larger or deeper than the parser takes"
        ) from None


def read_json(text):
    """JSON with numbers as they are written; a number of more than 1,000 digits is too long for Spark."""

    def number(digits):
        if len(digits) > 1000:
            raise ValueError(digits)
        return Number(digits)

    return json.loads(
        text, parse_int=number, parse_float=number, parse_constant=Number, strict=False
    )


def wire_text(value):
    """A top-level value of an image: text as it is, anything else as JSON."""
    if value is None or isinstance(value, str):
        return value if not isinstance(value, Number) else str(value)
    return compact(value)


def compact(value):
    """JSON without blanks, numbers as they were written."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{compact(k)}:{compact(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(compact(item) for item in value) + "]"
    if isinstance(value, Number):
        return str(value)
    return json.dumps(value, ensure_ascii=False)


def image(value):
    """An object as an image; None for anything else and for an object without columns."""
    if not isinstance(value, dict) or not value:
        return None
    return {name: wire_text(item) for name, item in value.items()}


def field(message, name, kind=str):
    """A field of the wanted kind; scalars and objects are text where text is wanted, another kind is none."""
    value = message.get(name) if isinstance(message, dict) else None
    if kind is str:
        return wire_text(value)
    return value if isinstance(value, kind) else None


def names(value):
    """A non-empty list of names, or None."""
    return [wire_text(item) for item in value] if isinstance(value, list) and value else None


def whole(text):
    """A whole number, or None."""
    return int(text) if text is not None and re.fullmatch(r"\s*[+-]?\d+\s*", text) else None


def instant(microseconds):
    """Microseconds since 1970 as Spark prints a timestamp in UTC."""
    if microseconds is None:
        return None
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
    text = moment.strftime("%Y-%m-%d %H:%M:%S.%f")
    return text.rstrip("0").rstrip(".")


def millis(text):
    """Text of milliseconds since 1970 as an instant."""
    return None if whole(text) is None else instant(whole(text) * 1000)


def wire_bytes(record, name):
    """Bytes of a record's key or value; None stays None."""
    if f"{name}_base64" in record:
        return base64.b64decode(record[f"{name}_base64"])
    return None if record.get(name) is None else record[name].encode("utf-8", "surrogatepass")


# Rows ---------------------------------------------------------------------------------------------


def base_row(record, format_name):
    """A row of the contract in which nothing is known yet."""
    row = dict.fromkeys(COLUMNS)
    row |= {name: record[name] for name in ("topic", "partition", "offset")}
    row |= {
        "feed": f"golden_{format_name}",
        "topic_generation": 0,
        "row_index": 0,
        "message_timestamp": instant(record["timestamp"] * 1000),
        "load_id": "load-1",
        "bronze_version": 7,
        "parser_version": 1,
        "is_before_complete": False,
        "is_after_complete": False,
        "before_unavailable": [],
        "after_unavailable": [],
        "order_scope": "offset",
    }
    return row


def without_value(row, key):
    """The row of a record without a value: under a Kafka key of which no row is read it may be all that is left of a delete."""
    if row["row_key"] or key is None:
        return row | {"operation": "tombstone"}
    return row | {"operation": "unknown", "error": LOST_DELETE}


def sequence(row, phase=1, position=()):
    """The row with its change_sequence."""
    row["change_sequence"] = {
        "phase": phase,
        "position": list(position),
        "offset": row["offset"],
        "row_index": row["row_index"],
    }
    return row


def ranked(rows):
    """TiCDC's rows: in one commit a deletion of a key ranks below the row that is there."""
    for row in rows:
        place = row["change_sequence"]
        if place["position"]:
            rank = 0 if row["operation"] == "delete" else 1
            sequence(row, place["phase"], [*place["position"], rank])
    return rows


def key_of(columns, row_image):
    """Values of the key columns, or None if one is missing."""
    if columns is None or row_image is None or any(name not in row_image for name in columns):
        return None
    return [row_image[name] for name in columns]


def ddl_kind(text):
    """What a DDL text does to tables."""
    statement = statements.read(text)
    return "other" if statement is None else statement.kind


def ddl_kind_of_word_or_text(kinds, word, text):
    """The kind by a tool's word, else by the text; a temporary table is no table, and CREATE OR REPLACE drops one."""
    statement = statements.read(text)
    if statement and statement.is_temporary:
        return "other"
    if word == "CREATE" and statement and statement.kind == "drop":
        return "drop"
    return kinds.get(word) or ddl_kind(text)


def check_statement(row, kind, text, **modes):
    """Refuses a statement that must not be applied to the message's table."""
    place = [row[f"{part}_name"] for part in ("catalog", "database", "schema", "table")]
    reason = statements.check(kind, statements.read(text), text, place, **modes)
    if reason:
        raise Bad(reason)


def changes_of_tables(body):
    """The type and the name in each of a schema change's table changes."""
    changes = field(body, "tableChanges", list) or []
    return [
        (field(one, "type"), field(one, "id")) if isinstance(one, dict) else (None, None)
        for one in changes
    ]


def schema_change_kind(text, changes):
    """What a schema change does: by its text, without one by its table changes; None where neither says it."""
    types = [kind for kind, _ in changes]
    label = None
    if types and all(kind in ("CREATE", "ALTER", "DROP") for kind in types):
        label = "DROP" if "DROP" in types else types[0]
    kind, has_text = ddl_kind(text), statements.read(text) is not None
    if kind != "other":
        return kind
    if label == "ALTER" or (label and not has_text):
        return label.lower()
    return "other" if has_text else None


def check_table_changes(row, kind, text, changes):
    """Refuses a schema change without a text that does not say what it did, or drops another table or several."""
    if kind is None:
        raise Bad("there is no statement, and tableChanges do not say what was done")
    if kind == "drop" and statements.read(text) is None:
        names = [name for _, name in changes if name is not None]
        place = [row[f"{part}_name"] for part in ("database", "schema", "table")]
        own = [name.lower() for name in place if name]
        named = [part.strip('"').lower() for part in names[0].split('"."')] if names else []
        if len(changes) != 1 or not named or own[-len(named) :] != named:
            raise Bad(
                "tableChanges name another table than the message, or several: "
                + (", ".join(names) or "none")
            )


def statement_rows(row):
    """The row of a message about a statement; a row for each table where it drops or truncates several."""
    kind, text = row["ddl_kind"], row["ddl"]
    check_statement(row, kind, text, several_rows=True)
    statement = statements.read(text)
    if statement is None or kind not in ("drop", "truncate") or len(statement.tables) < 2:
        return [row]
    found = []
    for number, name in enumerate(statement.tables):
        *holders, table = name
        place = {"table_name": table}
        if row["schema_name"] is not None:
            place |= dict(zip(("schema_name", "database_name"), reversed(holders), strict=False))
        elif holders:
            place["database_name"] = holders[-1]
        phase, position = (row["change_sequence"][part] for part in ("phase", "position"))
        found.append(sequence(row | place | {"row_index": 2 * number}, phase, position))
    return found


def with_relative(reason, text, declared):
    """The reason, and the other format that the text looks like; bytes that are no text look like none."""
    relative = None if "UTF-8" in reason else looks_like(text)
    if relative and relative != declared:
        return f"{reason}; this looks like {relative}"
    return reason


def looks_like(text):
    """The format a text looks like, as far as the golden messages need it."""
    if '"isDdl":' in text:
        # DRS or DTS: only the feed tells which
        if '"id":' in text and re.search(r'"type":\s*"(INIT|(INIT_)?DDL)"', text):
            return None
        return "canal_json" if '"id":' in text else "canal_json_oms"
    if (
        re.search(r'"op":\s*"[a-zA-Z]+"', text)
        and re.match(r'\s*\{\s*"(source|schema|before|after|op|payload)":', text)
        and (
            re.search(r'"source":\s*\{', text) or re.search(r'"(before|after)":\s*(\{|null)', text)
        )
    ):
        return "debezium_json" if '"connector":' in text else "flink_cdc_debezium"
    for sign, name in (
        ('"sequenceId":', "streamx"),
        ('"allMetaData":', "oms_default"),
        ('"record-type":', "aws_dms"),
        ('"op_type":', "ogg_json"),
        ('"__deleted":', "debezium_smt"),
        ('"xid":', "maxwell"),
        ('"type":"INSERT"', "flink_cdc_canal"),
    ):
        if sign in text:
            return name
    return None


# Canal --------------------------------------------------------------------------------------------

CANAL_ROWS = {"INSERT": "insert", "UPDATE": "update", "DELETE": "delete", "ROW": "snapshot"}
CANAL_DDL = {
    "CREATE": "create", "ALTER": "alter", "ERASE": "drop", "RENAME": "rename", "CINDEX": "other", "DINDEX": "other",
}  # fmt: skip


def canal_json(record):
    """Rows of one Canal record."""
    row = sequence(base_row(record, "canal_json"))
    raw = wire_bytes(record, "value")
    text = "" if raw is None else raw.decode("utf-8", "replace")
    message = {}
    try:
        if raw is not None:
            message, text = read_document(raw)
            row |= canal_head(message)
        if record.get("load_error"):
            raise Bad(record["load_error"])
        if raw is None:
            return [without_value(row, wire_bytes(record, "key"))]
        return canal_rows(row, message, record.get("feed", {}), row_images_of_a_binlog)
    except Bad as reason:
        return [
            row | {"operation": "unknown", "error": with_relative(str(reason), text, "canal_json")}
        ]


def canal_head(message):
    """What a message says apart from its rows."""
    types = field(message, "mysqlType")
    return {
        "source_operation": field(message, "type"),
        "source_type": "mysql",
        "database_name": field(message, "database") or None,
        "table_name": (field(message, "table") or "").rstrip(" ") or None,
        "schema_id": types if types is None else hashlib.md5(types.encode()).hexdigest(),
        "schema_text": types,
        "changed_at": millis(field(message, "es")),
        "captured_at": millis(field(message, "ts")),
        "transaction_id": field(message, "gtid") or None,
    }


def row_images_of_a_binlog(keys, told_before, options):
    """Whether the server may have left columns out of an update (binlog_row_image)."""
    if not told_before:
        return True
    if not keys or options.get("after_images") == "complete":
        return False
    return options.get("after_images") == "as_sent" or not set(told_before) - set(keys)


def known_before(keys, new, told_before):
    """What such an update tells of the row before it."""
    return {name: value for name, value in new.items() if name in keys} | told_before


NO_ROW = (
    "the update does not say which row it changes: it tells neither the row before it nor a key. "
    "Name the key in key_columns of the feed; "
    "where it is named, or the server writes parts of rows, set binlog_row_image to FULL"
)


def canal_rows(row, message, options, lacks_columns=None):
    """Rows of a message that is JSON; `lacks_columns` says of an update whether its row may."""
    if field(message, "type") is None:
        raise Bad("type is missing")
    word = field(message, "type").upper()
    is_ddl = (field(message, "isDdl") or "").lower()
    sql = field(message, "sql")
    if message.get("isDdl") is not None and is_ddl not in ("true", "false"):
        raise Bad(f"isDdl is neither true nor false: {field(message, 'isDdl')}")
    for name in ("es", "ts"):
        if field(message, name) is not None and whole(field(message, name)) is None:
            raise Bad(f"{name} is not a whole number: {field(message, name)}")
    if is_ddl == "true" and word in CANAL_ROWS:
        raise Bad(f"isDdl is true, but type is {field(message, 'type')}")
    if word in ("XACOMMIT", "XAROLLBACK"):
        return [row | {"operation": "transaction_end"}]
    kind = None
    if word in CANAL_DDL or is_ddl == "true":
        kind = "truncate" if word == "TRUNCATE" else ddl_kind_of_word_or_text(CANAL_DDL, word, sql)
        if kind == "truncate" and word in ("TRUNCATE", "QUERY") and row["table_name"] is None:
            raise Bad("table is missing")
        check_statement(row, kind, sql)
    if word in CANAL_DDL:
        return [row | {"operation": "schema_change", "ddl": sql, "ddl_kind": kind}]
    if is_ddl == "true" and word != "TRUNCATE":
        operation = "truncate" if kind == "truncate" and word == "QUERY" else "schema_change"
        return [row | {"operation": operation, "ddl": sql, "ddl_kind": kind}]
    if word in ("QUERY", "GTID"):
        return [row | {"operation": "ignored"}]
    if word not in CANAL_ROWS and word != "TRUNCATE":
        raise Bad(f"type is not known: {field(message, 'type')}")
    if row["table_name"] is None:
        raise Bad("table is missing")
    if word == "TRUNCATE":
        return [row | {"operation": "truncate", "ddl": sql, "ddl_kind": "truncate"}]
    return canal_images(row, message, word, options, lacks_columns)


def canal_list(message, name):
    """A list of row objects; a list with anything else in it is none."""
    items = field(message, name, list)
    return (
        items
        if items is not None and all(isinstance(item, dict | None) for item in items)
        else None
    )


def canal_images(row, message, word, options, lacks_columns):
    """One row per row image, two for a key change."""
    data, old = canal_list(message, "data"), canal_list(message, "old")
    images = old if word == "DELETE" and not data else data
    if not images and field(message, "sql"):
        raise Bad(
            f"a statement without row images (binlog_format is not ROW): {field(message, 'sql')}"
        )
    if not images:
        raise Bad("data is missing, empty, or not a list of rows")
    table = ".".join(part for part in (row["database_name"], row["table_name"]) if part)
    keys = options.get("key_columns", {}).get(table) or names(message.get("pkNames"))
    rows = []
    for index, item in enumerate(images):
        new = image(item)
        current = row | {"row_index": 2 * index}
        if new is None:
            reason = f"element {index} of data is not a row"
            rows.append(sequence(current | {"operation": "unknown", "error": reason}))
            continue
        told = {}
        if word == "UPDATE" and old and len(old) == len(images) and isinstance(old[index], dict):
            told = {name: wire_text(value) for name, value in old[index].items()}
        is_partial = word == "UPDATE" and not told
        if word == "UPDATE" and lacks_columns:
            is_partial = lacks_columns(keys, told, options)
        if word == "UPDATE" and keys and not set(keys) <= set(new):
            is_partial = True
        reason = bare_number(row, options, item, old[index] if told else None)
        if is_partial and key_of(keys, told | new) is None:
            reason = NO_ROW
        if reason:
            rows.append(sequence(current | {"operation": "unknown", "error": reason}))
            continue
        before = new | told if told else None
        if told and is_partial:
            before = known_before(keys, new, told)
        is_whole_before = before is not None and not is_partial
        if word == "DELETE":
            before = new
            is_whole_before = not lacks_columns or not keys or bool(set(new) - set(keys))
        after = None if word == "DELETE" else new
        rows += canal_changes(
            current, word, keys, (before, is_whole_before), (after, not is_partial)
        )
    return rows


def canal_changes(row, word, keys, before, after):
    """The change of one row image; an image stands beside whether it is whole."""
    before_part = {"before_image": before[0], "is_before_complete": before[1]}
    after_part = {"after_image": after[0], "is_after_complete": after[0] is not None and after[1]}
    key = key_of(keys, (before[0] or {}) | (after[0] or {}))
    old_key = key_of(keys, before[0])
    row = row | {"key_columns": keys, "row_key": key}
    if word == "UPDATE" and None not in (key, old_key) and key != old_key:
        upsert = {
            "operation": "upsert",
            "previous_row_key": old_key,
            "row_index": row["row_index"] + 1,
        }
        return [
            sequence(row | before_part | {"operation": "delete", "row_key": old_key}),
            sequence(row | after_part | upsert),
        ]
    snapshot = {"snapshot_mark": row["source_operation"]} if word == "ROW" else {}
    row |= before_part | after_part | {"operation": CANAL_ROWS[word]} | snapshot
    return [sequence(row, phase=0 if word == "ROW" else 1)]


# Debezium -----------------------------------------------------------------------------------------

DEBEZIUM_ROWS = {"c": "insert", "r": "snapshot", "u": "update", "d": "delete"}
POSITIONAL = ("mysql", "mariadb", "postgresql", "oracle", "sqlserver", "mongodb")
FULL_BEFORE = ("mysql", "mariadb", "sqlserver", "oracle", "db2")
FULL_LOAD = ("true", "first", "first_in_data_collection", "last_in_data_collection", "last")


def unavailable_texts(options=None):
    """Every form in which the connector writes the value that it did not have."""
    named = (options or {}).get("unavailable_value")
    return {text for marker in {PLACEHOLDER, named} - {None} for text in unavailable_forms(marker)}


def unavailable_forms(marker):
    """One marker in the forms of all types and modes."""
    raw = bytes.fromhex(marker[4:]) if marker.startswith("hex:") else marker.encode()
    digest = bytearray(hashlib.md5(raw).digest())
    digest[6], digest[8] = digest[6] & 0x0F | 0x30, digest[8] & 0x3F | 0x80
    hexed = digest.hex()
    uuid = "-".join((hexed[:8], hexed[8:12], hexed[12:16], hexed[16:20], hexed[20:]))
    text = raw.decode("utf-8", "replace")
    in_base64 = base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode()
    texts = [text, *in_base64, raw.hex(), raw.hex().upper(), uuid]
    return [
        *texts,
        *(compact([one]) for one in texts),
        compact({text: text}),
        "[" + ",".join(str(byte) for byte in raw) + "]",
        "[" + ",".join(f"{byte}.0" for byte in raw) + "]",
    ]


def told_block(block, *rows):
    """The text of a schema block, with the names of the columns of bytes that hold bare numbers."""
    if not isinstance(block, dict):
        return None if block is None else wire_text(block)
    fields = [one for one in block.get("fields") or [] if isinstance(one, dict)]
    images = [one for one in fields if one.get("field") in ("before", "after")]
    fields = fields + [column for one in images for column in one.get("fields") or []]
    of_bytes = [one["field"] for one in fields if one.get("type") == "bytes"]
    values = {name: [row.get(name) for row in rows if isinstance(row, dict)] for name in of_bytes}
    quoted = [
        name
        for name in of_bytes
        if any(isinstance(v, str) and not isinstance(v, Number) for v in values[name])
    ]
    bare = [name for name in of_bytes if name not in quoted]
    if any(isinstance(value, Number) for name in bare for value in values[name]):
        return '{"bare_numbers":' + compact(bare) + "," + compact(block)[1:]
    return compact(block)


def debezium_key(text):
    """A Kafka key as (image, whether the key is there but no object)."""
    if text is None or text.strip() in ("", "null"):
        return None, False
    try:
        key = read_json(text)
    except ValueError:
        return None, True
    if not isinstance(key, dict):
        return None, True
    if "schema" in key and "payload" in key and isinstance(key["payload"], dict | None):
        key = key["payload"]
    return extended_json_key(image(key)), False


def sent_key(record):
    """The columns of a Kafka key as they were written; None where it is no object."""
    try:
        key = read_json((wire_bytes(record, "key") or b"null").decode())
    except ValueError:
        return None
    if isinstance(key, dict) and isinstance(key.get("payload"), dict) and "schema" in key:
        return key["payload"]
    return key if isinstance(key, dict) else None


def extended_json_key(key):
    """A key, of a value that extended JSON wraps the number, or the same without blanks."""

    def plain(text):
        try:
            ((name, value),) = json.loads(text).items()
        except (AttributeError, TypeError, ValueError):
            return text
        if not name.startswith("$") or not isinstance(value, str):
            return text
        if name in ("$numberInt", "$numberLong", "$numberDouble", "$numberDecimal"):
            return value
        return json.dumps({name: value}, separators=(",", ":"), ensure_ascii=False)

    return key and {name: plain(text) for name, text in key.items()}


def debezium_json(record):
    """Rows of one Debezium record."""
    row = sequence(base_row(record, "debezium_json"))
    raw, key = wire_bytes(record, "value"), wire_bytes(record, "key")
    key_image, key_is_odd = debezium_key(None if key is None else key.decode("utf-8", "replace"))
    text = "" if raw is None else raw.decode("utf-8", "replace")
    try:
        if record.get("load_error"):
            if raw is not None:
                envelope, text = read_document(raw)
                row |= debezium_head(envelope, debezium_body(envelope))
                sequence(row, position=row["position"])
            raise Bad(record["load_error"])
        if raw is None or text in ("null", '{"schema":null,"payload":null}'):
            if key_is_odd and not record.get("feed", {}).get("key_columns"):
                raise Bad(NO_JSON_KEY)
            key_columns = list(key_image) if key_image else None
            row_key = list(key_image.values()) if key_image else None
            return [
                row | {"operation": "tombstone", "key_columns": key_columns, "row_key": row_key}
            ]
        envelope, text = read_document(raw)
        body = debezium_body(envelope)
        row |= debezium_head(envelope, body)
        return debezium_rows(row, body, record, key_image, key_is_odd, text)
    except Bad as reason:
        return [
            row
            | {"operation": "unknown", "error": with_relative(str(reason), text, "debezium_json")}
        ]


def debezium_body(envelope):
    """The message without its schema envelope."""
    return envelope["payload"] if isinstance(envelope.get("payload"), dict) else envelope


def debezium_head(envelope, body):
    """What a message says apart from its row."""
    source = field(body, "source", dict) or {}
    schema = told_block(envelope.get("schema"), body.get("before"), body.get("after"))
    connector = (field(source, "connector") or "").lower() or None
    transaction = (
        field(field(body, "transaction", dict) or {}, "id")
        or field(body, "id")
        or field(source, "txId")
        or field(source, "gtid")
    )
    if transaction and re.fullmatch(r"\d+:\d+", transaction):
        transaction = transaction.split(":")[0]
    changes = field(body, "tableChanges", list) or [{}]
    changed_at = whole(field(source, "ts_us"))
    is_in_full_load = field(body, "op") is None and field(source, "snapshot") in FULL_LOAD
    position = [] if is_in_full_load else debezium_position(connector, source, body)
    file_name, server = field(source, "file"), field(source, "server_id")
    space = None
    if file_name is not None and server != "0":
        space = "/".join(
            part for part in (server, file_name.rpartition(".")[0]) if part is not None
        )
    head = {
        "source_operation": field(body, "op") or field(body, "status") or field(changes[0], "type"),
        "source_type": connector,
        "database_name": field(source, "db") or field(body, "databaseName") or None,
        "schema_name": field(source, "schema") or field(body, "schemaName"),
        "table_name": field(source, "table") or field(source, "collection") or None,
        "schema_id": schema if schema is None else hashlib.md5(schema.encode()).hexdigest(),
        "schema_text": schema,
        "changed_at": instant(changed_at)
        if changed_at is not None
        else millis(field(source, "ts_ms")),
        "captured_at": millis(field(body, "ts_ms")),
        "transaction_id": transaction,
        "order_scope": "position" if connector in POSITIONAL else "offset",
        "position_space": space,
        "position": position,
        "snapshot_mark": (field(source, "snapshot") or "r")
        if is_read(field(body, "op"), field(source, "snapshot"))
        else None,
    }
    return head


def debezium_position(connector, source, body):
    """The numbers of the source's position that prove an order, most significant first."""

    def number(name, default=-1):
        value = whole(field(source, name))
        return default if value is None else value

    release = re.match(r"([0-9]+)\.([0-9]+)\.", field(source, "version") or "")
    release = release and (int(release[1]), int(release[2]))
    place = whole(field(field(body, "transaction", dict) or {}, "total_order"))
    # before 3.7 it counts anew where a connector starts again inside a transaction
    tail = [place] if release and release >= (3, 7) and place is not None else []
    if connector in ("mysql", "mariadb"):
        suffix = whole((field(source, "file") or "").rpartition(".")[2])
        if number("pos") < 0 or suffix is None:
            return []
        return [suffix, number("pos"), *tail]
    if connector == "postgresql" and field(source, "sequence") is not None:
        commit, lsn = json.loads(field(source, "sequence"))
        return [int(lsn if commit is None else commit), int(lsn)]
    if connector == "oracle" and (number("commit_scn") >= 0 or number("scn") >= 0):
        # a statement names the commit before it
        place = number("scn" if field(body, "op") is None else "txSeq")
        return [max(number("commit_scn"), number("scn")), place, number("scn")]
    if connector == "sqlserver" and field(source, "commit_lsn") is not None:
        return [int(part, 16) for part in field(source, "commit_lsn").split(":")] + tail
    # from 3.4 on ts_ms is the wall clock of the primary
    if connector == "mongodb" and number("ts_ms") >= 0 and release and release < (3, 4):
        return [number("ts_ms"), number("ord")]
    return []


def debezium_apart(connector, source):
    """What tells equal rows of a table without a key apart, and proves no order."""

    def number(name, default=-1):
        value = whole(field(source, name))
        return default if value is None else value

    if connector in ("mysql", "mariadb"):
        return [number("row", 0)]
    if connector == "oracle":
        return [number("ssn")]
    if connector == "sqlserver":
        parts = (field(source, "change_lsn") or "0:0:0").split(":")
        return [int(part, 16) for part in parts] + [number("event_serial_no")]
    return []


def defaults_of(block):
    """The defaults that the types of a message show, as texts of columns."""
    types = read_json(block or "{}")
    of_row = [
        one for one in types.get("fields", []) if "before" in (one.get("field"), one.get("name"))
    ]
    if of_row and "fields" not in of_row[0]:
        of_row = [one for one in of_row[0]["type"] if isinstance(one, dict)]
    columns = (of_row[0] if of_row else types).get("fields", [])
    return image({
        one.get("field", one.get("name")): one["default"]
        for one in columns
        if one.get("default") is not None
    }) or {}  # fmt: skip


def is_zero(text):
    """Whether a value is what PostgreSQL's connector writes for none in a column that is NOT NULL and has no default."""
    if not text.startswith("{"):
        return ZERO.fullmatch(text) is not None
    value = json.loads(text)
    if "scale" in value:
        value["scale"] = None
    return value in ZERO_STRUCTS


def check_made_up_key(key, before, block):
    """A key with a value for none in it, beside values of other columns, may be made up."""
    defaults = defaults_of(block)

    def is_for_none(name, value):
        return value == defaults[name] if name in defaults else is_zero(value)

    before = {name: value for name, value in before.items() if value is not None}
    others = [name for name in before if name not in key and not is_for_none(name, before[name])]
    if others and any(is_for_none(name, part) for name, part in key.items() if part is not None):
        parts = ", ".join(f"{name} = {value}" for name, value in key.items())
        raise Bad(
            f"the Kafka key of this delete ({parts}) may be made up, as with REPLICA IDENTITY USING INDEX: the row before it has"
            f" values of other columns ({', '.join(sorted(others))}), which may be its own or made up too. Give the table REPLICA"
            " IDENTITY DEFAULT, and its messages schema blocks, which show the defaults of columns; or REPLICA IDENTITY FULL, and"
            " say before_images: complete in the feed"
        )


def debezium_rows(row, body, record, key_image, key_is_odd, text):
    """Rows of a message that is JSON."""
    position = row["position"]
    sequence(row, position=position)
    source, op = field(body, "source", dict), field(body, "op")
    if op is None:
        operation = debezium_side_message(body)
        if operation is None:
            raise Bad("op is missing")
    elif op not in (*DEBEZIUM_ROWS, "t", "m"):
        raise Bad(f"op is not known: {op}")
    for holder, name in ((body, "ts_ms"), (source or {}, "ts_ms")):
        if field(holder, name) is not None and whole(field(holder, name)) is None:
            label = name if holder is body else f"source.{name}"
            raise Bad(f"{label} is not a whole number: {field(holder, name)}")
    if op is None:
        ddl = field(body, "ddl")
        if operation in ("schema_change", "truncate"):
            kind = schema_change_kind(ddl, changes_of_tables(body))
            check_table_changes(row, kind, ddl, changes_of_tables(body))
            check_statement(row, kind, ddl)
            row |= {"ddl": ddl, "ddl_kind": kind}
            if field(source or {}, "snapshot") in FULL_LOAD:
                sequence(row, phase=0)
        return [row | {"operation": operation}]
    if op == "m":
        return [row | {"operation": "ignored"}]
    if source is None:
        raise Bad("source is missing or not an object")
    check_connector(row["source_type"])
    check_version(row["source_type"], field(source, "version"))
    if row["table_name"] is None:
        raise Bad("source.table is missing")
    if op == "t":
        return [row | {"operation": "truncate", "ddl_kind": "truncate"}]
    return debezium_row_change(row, body, op, record, key_image, key_is_odd)


def check_connector(connector):
    """Refuse the rows of a connector that nobody has read."""
    known = (*POSITIONAL, "db2")
    if connector is not None and connector not in known:
        raise Bad(
            f"the connector is {connector}, and how its rows are to be read is not known: known are "
            + ", ".join(known)
        )


def check_version(connector, version):
    """Refuse the rows of another project that took a connector's name."""
    if version and not "0" <= version[0] <= "9":
        raise Bad(
            f"the version of the connector {connector} is {version}, which is none of Debezium: "
            "how rows of another project with this name are to be read is not known"
        )


def bare_number(row, options, *images):
    """Why a row is refused that has a bare number in a column which the feed calls base64; None where it has none."""
    database, schema, table = (row[f"{part}_name"] for part in ("database", "schema", "table"))
    place = [part for part in (database, schema, table) if part]
    names_of_table = {".".join(place), f"{database}.{table}", f"{schema}.{table}", table}
    for pattern, column in json.loads(options.get("columns_in_base64", "[]")):
        is_told = any(re.fullmatch(pattern, name) for name in names_of_table)
        if is_told and any(isinstance((one or {}).get(column), Number) for one in images):
            return (
                f"{column} of {'.'.join(place)} is written as a bare number, but the encodings of the feed say"
                " that it is base64: take it out of them"
            )
    return None


def check_bare_numbers(row, options, *images):
    """Refuse bare numbers in columns that the feed calls base64."""
    images = [one if isinstance(one, dict) else None for one in images]
    if reason := bare_number(row, options, *images):
        raise Bad(reason)


def debezium_side_message(body):
    """The operation of a message without `op`."""
    ddl, changes = field(body, "ddl"), field(body, "tableChanges", list)
    if any(isinstance(one, str) for one in changes or []):
        changes = None
    if changes is not None or (ddl is not None and field(body, "databaseName") is not None):
        return "truncate" if ddl_kind(ddl) == "truncate" else "schema_change"
    if field(body, "status") in ("BEGIN", "END") and field(body, "id") and "event_count" in body:
        return "transaction_begin" if body["status"] == "BEGIN" else "transaction_end"
    if list(body) == ["ts_ms"]:
        return "heartbeat"
    return None


def plain_numbers(document):
    """A document's fields, of a number that extended JSON wraps the number."""
    wrapped = re.compile(r'\{"\$number(?:Int|Long|Double|Decimal)":"([^"]*)"\}')
    return document and {
        name: wrapped.sub(r"\1", text) if text and wrapped.fullmatch(text) else text
        for name, text in document.items()
    }


def debezium_images(body, connector, op):
    """(before, after, whether after is only a patch)."""

    def of(name):
        value = body.get(name)
        if connector == "mongodb" and isinstance(value, str) and value.lstrip().startswith("{"):
            return plain_numbers(image(read_json(value)))
        return image(value)

    patch = field(body, "updateDescription", dict) or {}
    if (
        op == "u"
        and body.get("after") is None
        and (patch.get("updatedFields") or patch.get("removedFields"))
    ):
        updated = plain_numbers(image(read_json(patch.get("updatedFields") or "{}"))) or {}
        removed = patch.get("removedFields") or []
        removes_null, removed = None in removed, [name for name in removed if name is not None]
        after = {name: value for name, value in updated.items() if name not in removed}
        after |= dict.fromkeys(removed)
        if patch.get("truncatedArrays") or any("." in name for name in after):
            raise Bad(
                "a patch inside a field cannot be applied: let the connector send whole documents"
            )
        if removes_null:
            raise Bad("updateDescription.removedFields names a field null")
        return of("before"), after, True
    return of("before"), of("after"), False


def is_read(op, word):
    """A row of a snapshot, which ReadToInsertEvent writes as one that was inserted."""
    return op == "r" or (op == "c" and word in FULL_LOAD)


def debezium_row_change(row, body, op, record, key_image, key_is_odd):
    """The change of one row."""
    options, connector = record.get("feed", {}), row["source_type"]
    op = "r" if is_read(op, row["snapshot_mark"]) else op
    before, after, is_patch = debezium_images(body, connector, op)
    if op != "d" and after is None:
        raise Bad(f"op {body['op']} without an after image")
    check_bare_numbers(row, options, body.get("before"), body.get("after"), sent_key(record))
    if op == "d" and before is None and key_image is None:
        raise Bad("op d without a before image and without a key")
    if op in ("u", "d") and body.get("before") is not None and not isinstance(body["before"], dict):
        if connector != "mongodb":
            raise Bad("before is not an object")
    unavailable = unavailable_texts(options)
    old_missing = [name for name, value in (before or {}).items() if value in unavailable]
    new_missing = [name for name, value in (after or {}).items() if value in unavailable]
    before = before and {name: value for name, value in before.items() if name not in old_missing}
    filtered = {} if connector == "mongodb" or after is None else key_image or {}
    filtered = {name: value for name, value in filtered.items() if name not in after}
    after = after and {name: value for name, value in after.items() if name not in new_missing}
    after = filtered | after if after else after
    can_be_complete = connector in FULL_BEFORE or options.get("before_images") == "complete"
    is_before_complete = bool(before) and not old_missing and can_be_complete
    if connector == "sqlserver" and op == "u" and before:
        # large values of the row before are NULL
        is_before_complete &= not any(
            value is None and (after or {}).get(name) is not None for name, value in before.items()
        )

    table = ".".join(
        part for part in (row["database_name"], row["schema_name"], row["table_name"]) if part
    )
    feed_keys = options.get("key_columns", {}).get(table)
    if feed_keys is None and key_is_odd:
        raise Bad(NO_JSON_KEY)
    keys = feed_keys or (["_id"] if connector == "mongodb" else key_image and list(key_image))
    if feed_keys is None and connector == "mongodb" and len(key_image or {}) > 1:
        row_key = [key_image["id"]] if "id" in key_image else None
    elif feed_keys is None:
        row_key = key_image and list(key_image.values())
    else:
        row_key = key_of(keys, (after or before or {}) | (key_image or {}))
        if row_key is None or (op == "d" and not is_before_complete and None in row_key):
            raise Bad("the message does not hold the key columns that the feed names")
    if op == "d" and not is_before_complete and None in (row_key or []):
        unsent = ", ".join(name for name, value in key_image.items() if value is None)
        raise Bad(
            f"the Kafka key of this delete lacks the value of {unsent}: give the table REPLICA IDENTITY FULL, or let the"
            " connector take the primary key as its key"
        )
    if op == "d" and connector == "postgresql" and not is_before_complete and row_key:
        types = record.get("value_schema") or row["schema_text"]
        check_made_up_key(dict(zip(keys, row_key, strict=True)), before or {}, types)

    before_part = {
        "before_image": before, "is_before_complete": is_before_complete, "before_unavailable": old_missing,
    }  # fmt: skip
    after_part = {}
    if op != "d":
        after_part = {
            "after_image": after, "is_after_complete": not is_patch and not new_missing,
            "after_unavailable": new_missing,
        }  # fmt: skip
    row |= {"key_columns": keys, "row_key": row_key}
    position = row["position"]
    if keys is None and position:
        position = position + debezium_apart(connector, field(body, "source", dict))
    is_full_load = op == "r" and row["snapshot_mark"] != "incremental"
    sequence(row, phase=0 if is_full_load else 1, position=position)
    old_key, new_key = key_of(keys, before), key_of(keys, after)
    if (
        op == "u"
        and connector != "mongodb"
        and old_key
        and new_key
        and None not in old_key
        and old_key != new_key
    ):
        upsert = {
            "operation": "upsert",
            "row_key": new_key,
            "previous_row_key": old_key,
            "row_index": 1,
        }
        return [
            sequence(row | before_part | {"operation": "delete", "row_key": old_key}, 1, position),
            sequence(row | after_part | upsert, 1, position),
        ]
    if op == "c":
        row["previous_row_key"] = debezium_left_key(record, keys, (after or {}) | (key_image or {}))
    return [row | before_part | after_part | {"operation": DEBEZIUM_ROWS[op]}]


def debezium_left_key(record, keys, current):
    """The old key that a header names; of nulls if it is not written as the record's own key is."""
    for name, text in record["headers"]:
        if name == "__debezium.oldkey" and keys:
            left, _ = debezium_key(text)
            numeric = re.compile(r"-?[0-9.]+").fullmatch
            if not left:
                return None
            is_alike = all(
                name in left and bool(numeric(left[name])) == bool(numeric(current[name]))
                for name in keys
            )
            return key_of(keys, left) if is_alike else [None for _ in keys]
    return None


# Files --------------------------------------------------------------------------------------------


def reference_rows(format_name, record):
    """Rows that a record must become, in the order of the contract's columns."""
    here = {"canal_json": canal_json, "debezium_json": debezium_json}
    if format_name in here:
        rows = here[format_name](record)
    else:
        rows = importlib.import_module(f"tests.formats.{format_name}.reference").rows(record)
    for row in rows:
        row.pop("position", None)
    return [{name: row[name] for name in COLUMNS} for row in rows]


def main():
    """Writes changes.jsonl of every format; rows written by hand stay."""
    for format_name in FORMATS:
        folder = HERE / format_name
        by_hand = {}
        changes = folder / "changes.jsonl"
        for line in changes.read_text("utf-8").rstrip("\n").split("\n") if changes.exists() else []:
            row = json.loads(line)
            by_hand.setdefault((row["topic"], row["partition"], row["offset"]), []).append(row)
        with (folder / "messages.jsonl").open(encoding="utf-8") as lines:
            records = [json.loads(line) for line in lines]
        with changes.open("w", encoding="utf-8") as out:
            for record in records:
                place = (record["topic"], record["partition"], record["offset"])
                rows = (
                    by_hand.get(place, [])
                    if record.get("by_hand")
                    else reference_rows(format_name, record)
                )
                for row in rows:
                    out.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
