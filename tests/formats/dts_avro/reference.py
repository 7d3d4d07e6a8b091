"""What a record of DTS or OMS must become, in plain Python: a second reading of docs/formats/dts_avro.md."""

import base64
import hashlib
import io
import re
from datetime import datetime, timedelta

import fastavro

from tests.formats import statements
from tests.formats.reference import (
    Bad,
    Number,
    base_row,
    check_statement,
    compact,
    ddl_kind,
    field,
    instant,
    key_of,
    millis,
    names,
    read_document,
    read_json,
    sequence,
    whole,
    wire_bytes,
    wire_text,
    with_relative,
    without_value,
)

NAMESPACE = "com.alibaba.dts.formats.avro"
ENGINES = "MySQL Oracle SQLServer PostgreSQL MongoDB Redis DB2 PPAS DRDS HBASE HDFS FILE OTHER"
WORDS = (
    "INSERT UPDATE DELETE DDL BEGIN COMMIT ROLLBACK ABORT HEARTBEAT CHECKPOINT COMMAND FILL FINISH"
    " CONTROL RDB NOOP INIT"
)
ROWS = {"INIT": "snapshot", "INSERT": "insert", "UPDATE": "update", "DELETE": "delete"}
WITHOUT_ROWS = {
    "BEGIN": "transaction_begin",
    "COMMIT": "transaction_end",
    "ROLLBACK": "transaction_end",
    "ABORT": "transaction_end",
    "HEARTBEAT": "heartbeat",
    "CHECKPOINT": "heartbeat",
} | dict.fromkeys(("COMMAND", "FILL", "FINISH", "CONTROL", "RDB", "NOOP"), "ignored")
UTF8 = ("", "utf8", "utf8mb3", "utf8mb4", "utf-8", "ascii", "us-ascii")
LATIN1 = ("latin1", "iso-8859-1", "iso8859-1")
PARTS = ("year", "month", "day", "hour", "minute", "second", "millis")
MISSING = object()


def named(kind, name, **members):
    """A named Avro type."""
    return {"type": kind, "name": f"{NAMESPACE}.{name}", **members}


def record_type(name, /, **members):
    """An Avro record."""
    return named("record", name, fields=[{"name": n, "type": t} for n, t in members.items()])


def record_schema():
    """The record's Avro schema, written from the layout in the SDK."""
    values = [
        "null",
        record_type("Integer", precision="int", value="string"),
        record_type("Character", charset="string", value="bytes"),
        record_type("Decimal", value="string", precision="int", scale="int"),
        record_type("Float", value="double", precision="int", scale="int"),
        record_type("Timestamp", timestamp="long", millis="int"),
        record_type("DateTime", **{part: ["null", "int"] for part in PARTS}),
        record_type("TimestampWithTimeZone", value=f"{NAMESPACE}.DateTime", timezone="string"),
        record_type("BinaryGeometry", type="string", value="bytes"),
        record_type("TextGeometry", type="string", value="string"),
        record_type("BinaryObject", type="string", value="bytes"),
        record_type("TextObject", type="string", value="string"),
        named("enum", "EmptyObject", symbols=["NULL", "NONE"]),
    ]
    again = ["null", *(value["name"] for value in values[1:])]
    columns = record_type("Field", name="string", dataTypeNumber="int")
    return record_type(
        "Record",
        version="int",
        id="long",
        sourceTimestamp="long",
        sourcePosition="string",
        safeSourcePosition="string",
        sourceTxid="string",
        source=record_type(
            "Source",
            sourceType=named("enum", "SourceType", symbols=ENGINES.split()),
            version="string",
        ),
        operation=named("enum", "Operation", symbols=WORDS.split()),
        objectName=["null", "string"],
        processTimestamps=["null", {"type": "array", "items": "long"}],
        tags={"type": "map", "values": "string"},
        fields=["null", "string", {"type": "array", "items": columns}],
        beforeImages=["null", "string", {"type": "array", "items": values}],
        afterImages=["null", "string", {"type": "array", "items": again}],
    )


SCHEMA = fastavro.parse_schema(record_schema())


# The two renderings ------------------------------------------------------------------------------


def read_avro(raw):
    """The record that bytes hold, its values as pairs of branch and members."""
    stream = io.BytesIO(raw)
    try:
        record = fastavro.schemaless_reader(stream, SCHEMA, return_record_name=True)
    except Exception:
        record = None
    if record is None or stream.read():
        raise Bad("the value is neither a JSON object nor one whole Avro record of DTS")
    return record


def avro_cell(value):
    """A decoded value as (branch, members)."""
    if isinstance(value, str):
        return ("EmptyObject", value)
    if value is None:
        return None
    return (value[0].rsplit(".", 1)[-1], value[1])


def union(value):
    """A union's content, with or without the name of its branch."""
    if isinstance(value, dict) and len(value) == 1 and next(iter(value)) in ("string", "array"):
        return next(iter(value.values()))
    return value


def number_of(value):
    """A whole number that may stand under the name of its branch."""
    if isinstance(value, dict):
        value = value.get("int")
    return None if value is None else whole(str(value))


def json_cell(value):
    """A value of an image in JSON as (branch, members)."""
    if value is None:
        return None
    if value in ("NONE", "NULL"):
        return ("EmptyObject", value)
    branch = None
    if len(value) == 1 and next(iter(value)).startswith(NAMESPACE):
        branch, value = next(iter(value.items()))
        branch = branch.rsplit(".", 1)[-1]
        if branch == "EmptyObject":
            return (branch if value in ("NONE", "NULL") else None, value)
    content = value.get("value")
    if branch is None:
        branch = untagged(value, content)
    if branch in ("Character", "BinaryObject", "BinaryGeometry"):
        text = content["bytes"] if isinstance(content, dict) else content
        try:
            content = text.encode("latin-1")
        except UnicodeEncodeError:
            content = text.encode()
    members = {**value, "value": content}
    clock = content if branch == "TimestampWithTimeZone" else members
    for part in PARTS if isinstance(clock, dict) else ():
        clock[part] = number_of(clock.get(part))
    return (branch, members)


def untagged(value, content):
    """The branch of a value that does not name it."""
    for member, branch in (
        ("charset", "Character"),
        ("timezone", "TimestampWithTimeZone"),
        ("timestamp", "Timestamp"),
    ):
        if value.get(member) is not None:
            return branch
    if isinstance(content, dict) and "bytes" in content:
        return "BinaryObject"
    if content is not None:
        return "TextObject"
    if any(value.get(part) is not None for part in PARTS):
        return "DateTime"
    return None


# Values -------------------------------------------------------------------------------------------


def fraction(count, digits):
    """Digits behind the point."""
    if not count:
        return ""
    return "." + str(abs(count)).zfill(9 if abs(count) > 999999 else digits)


def wall_clock(members):
    """Whatever parts of a date and a time of day are there."""
    year, month, day, *time = (members.get(part) for part in PARTS)
    date = "-".join(
        [f"{year:04d}"][: year is not None] + [f"{n:02d}" for n in (month, day) if n is not None]
    ) if year is not None else "-".join(f"{n:02d}" for n in (month, day) if n is not None)  # fmt: skip
    clock = ":".join(f"{abs(n):02d}" for n in time[:3] if n is not None)
    sign = "-" if any(n is not None and n < 0 for n in time) else ""
    clock = sign + clock + fraction(time[3], 6)
    return " ".join(part for part in (date, clock) if part) or None


def value_text(cell, options):
    """Wire text of a value; MISSING where the image lacks it."""
    if cell is None:
        return None
    branch, members = cell
    if branch == "EmptyObject":
        return MISSING if members == "NONE" else None
    if branch is None:
        raise Bad("is no value that this format knows")
    if branch == "Character":
        charset = members["charset"].lower()
        if charset not in UTF8 + LATIN1:
            raise Bad(f"is in a character set that is not read here: {members['charset']}")
        try:
            return members["value"].decode("latin-1" if charset in LATIN1 else "utf-8")
        except UnicodeDecodeError:
            return members["value"].decode("latin-1")
    if branch in ("BinaryObject", "BinaryGeometry"):
        return members["value"].hex().upper()
    if branch == "DateTime":
        return wall_clock(members)
    if branch == "TimestampWithTimeZone":
        return f"{wall_clock(members['value'])} {members['timezone']}"
    if branch == "Timestamp":
        seconds = whole(str(members["timestamp"]))
        if seconds is None:
            raise Bad("is a timestamp without seconds")
        if seconds == -9223372022400:
            return "0000-00-00 00:00:00"
        if not -62135596800 <= seconds <= 253402300799:
            return str(seconds)
        digits = {"milliseconds": 3, "nanoseconds": 9}.get(options.get("timestamp_fraction"), 6)
        moment = datetime(1970, 1, 1) + timedelta(seconds=seconds)
        return f"{moment.isoformat(' ')}{fraction(number_of(members['millis']), digits)}Z"
    value = members["value"]
    if isinstance(value, float):
        return spark_double(value)
    return value if not isinstance(value, Number) else str(value)


def spark_double(value):
    """A double as Java prints it."""
    if value != value or value in (float("inf"), float("-inf")):
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(value)]
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return repr(value)
    digits, _, exponent = f"{value!r}".partition("e")
    if not exponent:
        digits, _, exponent = f"{value:.{len(re.sub('[^0-9]', '', digits.strip('0.').rstrip('0'))) - 1}e}".partition("e")  # fmt: skip
    if "." not in digits:
        digits += ".0"
    return f"{digits}E{int(exponent)}"


# Rows ---------------------------------------------------------------------------------------------


def rows(record):
    """Rows of one DTS record."""
    return rows_of(record, "dts_avro", dts_place)


def dts_place(parts, *_):
    """database, database.table or database.schema.table."""
    return {
        "database_name": parts[0],
        "schema_name": parts[1] if len(parts) == 3 else None,
        "table_name": parts[-1] if len(parts) > 1 else None,
    }


def rows_of(record, format_name, place, no_table="objectName names no table"):
    """Rows of one record of either format."""
    options = record.get("feed", {})
    by_offset = options.get("order") == "offset"
    row = base_row(record, format_name) | {"order_scope": "offset" if by_offset else "position"}
    row = sequence(row)
    raw = wire_bytes(record, "value")
    text = "" if raw is None else raw.decode("utf-8", "replace")
    try:
        if raw is None:
            if record.get("load_error"):
                raise Bad(record["load_error"])
            return [without_value(row, wire_bytes(record, "key"))]
        message, sides, text = read_value(raw, text)
        row = head(row, message, sides, place, options)
        if record.get("load_error"):
            raise Bad(record["load_error"])
        return rows_of_message(row, message, sides, options, no_table)
    except Bad as reason:
        is_own = '"beforeImages":' in text or '"afterImages":' in text
        error = str(reason)
        if not is_own and raw is not None and is_text(raw):
            error = with_relative(error, text, format_name)
        return [sequence(row | {"operation": "unknown", "error": error})]


def is_text(raw):
    """Whether bytes are UTF-8."""
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def read_value(raw, text):
    """The record, its two lists of values and its text."""
    try:
        message, text = read_document(raw)
    except Bad as reason:
        if "not one whole JSON object" in str(reason) or str(reason) in (
            "the value is empty",
            "the value is the JSON word null",
        ):
            raise
        message = read_avro(raw)
        sides = {
            name: message[name] and [avro_cell(value) for value in message[name]]
            if isinstance(message[name], list)
            else None
            for name in ("beforeImages", "afterImages")
        }
        return message, sides, text
    for name in ("objectName", "processTimestamps", "fields", "beforeImages", "afterImages"):
        if name in message:
            message[name] = union(message[name])
    sides = {}
    for name in ("beforeImages", "afterImages"):
        items = field(message, name, list)
        if items is not None and all(
            isinstance(item, dict | None) or item in ("NONE", "NULL") for item in items
        ):
            sides[name] = [json_cell(item) for item in items]
        else:
            sides[name] = None
    return message, sides, text


def text_of(value):
    """A scalar as text, anything else as JSON."""
    return (
        None
        if value is None
        else wire_text(value)
        if isinstance(value, dict | list)
        else str(value)
    )


def columns_of(message):
    """The list of columns, if it is one of objects."""
    items = message.get("fields")
    if not isinstance(items, list) or not all(isinstance(item, dict | None) for item in items):
        return []
    return [item or {} for item in items]


def head(row, message, sides, place, options):
    """The row with what a message says apart from its images."""
    by_offset = options.get("order") == "offset"
    name = text_of(message.get("objectName"))
    parts = [part.replace("\\u002E", ".") or None for part in name.split(".")] if name else [None]
    source = message.get("source") or {}
    columns = columns_of(message)
    type_text = None
    if columns:
        described = [
            {"name": column.get("name"), "dataTypeNumber": whole(str(column.get("dataTypeNumber")))}
            | ({"isBinary": True} if is_binary(sides, index) else {})
            for index, column in enumerate(columns)
        ]
        described = [{k: v for k, v in item.items() if v is not None} for item in described]
        engine = {"sourceType": source["sourceType"]} if source.get("sourceType") else {}
        type_text = compact(engine | {"fields": described})
    seconds = whole(text_of(message.get("sourceTimestamp")))
    times = message.get("processTimestamps")
    row = row | {
        "source_operation": text_of(message.get("operation")),
        "source_type": (source.get("sourceType") or "").lower() or None,
        **place(parts, options.get("database"), statement_of(message)),
        "schema_id": type_text and hashlib.md5(type_text.encode()).hexdigest(),
        "schema_text": type_text,
        "changed_at": None if seconds is None or seconds > 10**11 else instant(seconds * 1000000),
        "captured_at": millis(text_of(times[-1])) if times else None,
        "transaction_id": message.get("sourceTxid") or None,
    }
    number = whole(text_of(message.get("id")))
    word = (row["source_operation"] or "").upper()
    is_ordered = number and not by_offset and word != "INIT" and -(2**63) <= number < 2**63
    return sequence(row, 1, [number] if is_ordered else [])


def is_binary(sides, index):
    """Whether a column's value is bytes in either image."""
    for cells in sides.values():
        if cells and index < len(cells) and cells[index]:
            if cells[index][0] in ("BinaryObject", "BinaryGeometry"):
                return True
    return False


def statement_of(message):
    """What the text of a message says; None where it has none."""
    text = message.get("afterImages")
    return statements.read(text) if isinstance(text, str) else None


def rows_of_message(row, message, sides, options, no_table):
    """Rows of a record that could be read."""
    if row["source_operation"] is None:
        raise Bad("operation is missing")
    word = row["source_operation"].upper()
    for name in ("id", "sourceTimestamp"):
        text = text_of(message.get(name))
        if text is not None and (whole(text) is None or not -(2**63) <= whole(text) < 2**63):
            raise Bad(f"{name} is not a whole number: {text}")
    if word in WITHOUT_ROWS:
        return [row | {"operation": WITHOUT_ROWS[word]}]
    ddl = message.get("afterImages") if isinstance(message.get("afterImages"), str) else None
    if word == "DDL" and not (ddl or "").strip(" "):
        raise Bad("operation DDL without a statement in afterImages")
    kind, statement = ddl_kind(ddl), statement_of(message)
    if word == "DDL" and kind == "drop" and not statement.is_of_database and not row["table_name"]:
        raise Bad(no_table)
    if word == "DDL" and kind != "truncate":
        check_statement(row, kind, ddl)
        return [row | {"operation": "schema_change", "ddl": ddl, "ddl_kind": kind}]
    if word != "DDL" and word not in ROWS:
        raise Bad(f"operation is not known: {row['source_operation']}")
    if len((message.get("objectName") or "").split(".")) > 3:
        raise Bad(f"objectName has more than three parts: {message['objectName']}")
    if row["table_name"] is None:
        raise Bad(no_table)
    if word == "DDL":
        check_statement(row, kind, ddl)
        return [row | {"operation": "truncate", "ddl": ddl, "ddl_kind": kind}]
    return row_change(row, message, word, sides, options)


def row_change(row, message, word, sides, options):
    """The change of one row: one row, or two where it moves to another key."""
    columns = columns_of(message)
    if not columns:
        raise Bad("fields is missing, empty, or not a list of columns")
    column_names = [text_of(column.get("name")) for column in columns]
    if None in column_names:
        raise Bad("a column in fields has no name")
    if len(set(column_names)) < len(column_names):
        raise Bad("a column name occurs twice in fields")
    if word == "DELETE" and sides["beforeImages"] is None:
        raise Bad("operation DELETE without a list of values in beforeImages")
    if word != "DELETE" and sides["afterImages"] is None:
        raise Bad(f"operation {word} without a list of values in afterImages")
    used = [("beforeImages", word in ("UPDATE", "DELETE")), ("afterImages", word != "DELETE")]
    for side, is_used in used:
        cells = sides[side]
        if is_used and cells is not None and len(cells) != len(columns):
            raise Bad(f"{len(columns)} fields, but {len(cells)} values in {side}")
    images = {}
    for side, is_used in used:
        images[side] = None
        if is_used and sides[side] is not None:
            images[side] = {}
            for name, cell in zip(column_names, sides[side], strict=True):
                try:
                    text = value_text(cell, options)
                except Bad as reason:
                    raise Bad(f"column {name} of {side} {reason}") from None
                if text is not MISSING:
                    images[side][name] = text
    before, after = images["beforeImages"], images["afterImages"]
    path = ".".join(filter(None, (row["database_name"], row["schema_name"], row["table_name"])))
    keys = options.get("key_columns", {}).get(path) or primary_key(message)
    key, old_key = key_of(keys, (before or {}) | (after or {})), key_of(keys, before)
    before_part = side_columns("before", before, column_names)
    after_part = side_columns("after", after, column_names)
    row = row | {"key_columns": keys, "row_key": key, "operation": ROWS[word]}
    if word == "INIT":
        row = sequence(row | {"snapshot_mark": row["source_operation"]}, 0)
    if word == "UPDATE" and None not in (key, old_key) and key != old_key:
        upsert = {
            "operation": "upsert",
            "row_key": key,
            "previous_row_key": old_key,
            "row_index": 1,
        }
        position = row["change_sequence"]["position"]
        return [
            row | before_part | {"operation": "delete", "row_key": old_key},
            sequence(row | after_part | upsert, 1, position),
        ]
    return [row | before_part | after_part]


def primary_key(message):
    """The primary key that the tags tell."""
    try:
        return names(read_json(message["tags"]["pk_uk_info"])["PRIMARY"])
    except (KeyError, TypeError, ValueError):
        return None


def side_columns(side, columns, column_names):
    """The contract's columns of one image."""
    missing = [] if columns is None else [name for name in column_names if name not in columns]
    return {
        f"{side}_image": columns,
        f"{side}_unavailable": missing,
        f"is_{side}_complete": columns is not None and not missing,
    }


def encode(record):
    """An Avro record as the base64 text of its bytes."""
    stream = io.BytesIO()
    fastavro.schemaless_writer(stream, SCHEMA, record)
    return base64.b64encode(stream.getvalue()).decode()
