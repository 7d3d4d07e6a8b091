"""What a record of Debezium with the Avro converter must become, in plain Python: a second reading of
docs/formats/debezium_avro.md. The record becomes the text that the JSON converter would have written, which the
reference of debezium_json reads."""

import base64
import hashlib
import io
import json
import struct
from pathlib import Path

import fastavro

from tests.formats.dts_avro.reference import spark_double
from tests.formats.reference import (
    NO_JSON_KEY,
    base_row,
    debezium_json,
    sequence,
    wire_bytes,
    with_relative,
)

SCHEMAS = Path(__file__).parent / "schemas"


class NoRecord(Exception):
    """The bytes are no record of a known schema; the message says why."""


def rows(record):
    """Rows of one record."""
    raw, key = wire_bytes(record, "value"), wire_bytes(record, "key")
    folder = record.get("feed", {}).get("avro_schemas")
    plain = {name: record[name] for name in record if name not in ("key_base64", "value_base64")}
    key_error = f"{NO_JSON_KEY.replace('not a JSON', 'neither Avro nor a JSON')}"
    try:
        plain["key"] = key_text(folder, key)
    except NoRecord as reason:
        plain["key"], key_error = "unreadable", str(reason)
    try:
        plain["value"], schema_text = (
            (None, None) if raw is None else record_text(folder, raw, "value")
        )
    except NoRecord as reason:
        row = sequence(base_row(record, "debezium_avro"))
        error = with_relative(
            record.get("load_error") or str(reason), raw.decode("utf-8", "replace"), "debezium_avro"
        )
        return [row | {"operation": "unknown", "error": error}]
    found = debezium_json(plain | {"value_schema": schema_text})
    for row in found:
        row["feed"] = "golden_debezium_avro"
        row["schema_text"] = schema_text
        row["schema_id"] = schema_text and hashlib.md5(schema_text.encode()).hexdigest()
        if row["error"]:
            # a record of a known schema is Debezium's
            reason = row["error"].partition("; this looks like ")[0]
            row["error"] = key_error if reason == NO_JSON_KEY else reason
    return found


def key_text(folder, key):
    """The Kafka key as JSON; one without a header stays what it is."""
    if key is None or key[:1] != b"\0" or len(key) < 5:
        return None if key is None else key.decode("utf-8", "replace")
    return record_text(folder, key, "Kafka key")[0]


def record_text(folder, raw, what):
    """The JSON text of a record behind its header, and the text of its schema."""
    if not raw:
        raise NoRecord(f"the {what} is empty")
    if raw[0]:
        raise NoRecord(
            f"the {what} is not Avro with the header of a schema registry: its first byte is not zero"
        )
    if len(raw) < 5:
        raise NoRecord(f"the {what} ends within the header of the schema registry")
    number = int.from_bytes(raw[1:5], "big")
    path = SCHEMAS / f"{number}.avsc"
    if (folder or "").rstrip("/") != "schemas" or not path.exists():
        raise NoRecord(
            f"there is no Avro schema {number}, which the {what} names: put {number}.avsc into the folder"
            " avro_schemas of the feed"
        )
    text = path.read_text("utf-8")
    schema = without_logical_types(json.loads(text))
    body = io.BytesIO(raw[5:])
    damaged = NoRecord(f"the {what} is not one whole record of the Avro schema {number}")
    try:
        value = fastavro.schemaless_reader(body, fastavro.parse_schema(schema), None)
    except Exception:
        raise damaged from None
    if body.read():
        raise damaged
    return as_json(value, schema, {}, ""), text


def without_logical_types(schema):
    """The schema in which every value is what the bytes hold."""
    if isinstance(schema, list):
        return [without_logical_types(member) for member in schema]
    if isinstance(schema, dict):
        return {
            name: without_logical_types(part)
            for name, part in schema.items()
            if name != "logicalType"
        }
    return schema


def as_json(value, schema, known, namespace):
    """A value as Kafka Connect's JSON converter writes it. `known` are the named types so far."""
    if isinstance(schema, list):
        members = [as_json_types(member, known, namespace) for member in schema]
        if value is None:
            return "null"
        (schema,) = [member for member in members if member != "null"]
        return as_json(value, schema, known, namespace)
    schema = as_json_types(schema, known, namespace)
    kind = schema["type"] if isinstance(schema, dict) else schema
    if kind == "record":
        namespace = schema.get("namespace", namespace)
        return as_object(
            (part["name"], as_json(value[part["name"]], part["type"], known, namespace))
            for part in schema["fields"]
        )
    if kind == "array":
        return (
            "[" + ",".join(as_json(item, schema["items"], known, namespace) for item in value) + "]"
        )
    if kind == "map":
        return as_object(
            (name, as_json(item, schema["values"], known, namespace))
            for name, item in value.items()
        )
    if kind in ("bytes", "fixed"):
        return json.dumps(base64.b64encode(value).decode())
    if kind in ("float", "double"):
        text = spark_double(single(value) if kind == "float" else value)
        return text if text.strip("-")[0].isdigit() else json.dumps(text)
    return json.dumps(value, ensure_ascii=False)


def as_object(members):
    """A JSON object of names and texts."""
    return "{" + ",".join(f"{json.dumps(name)}:{text}" for name, text in members) + "}"


def as_json_types(schema, known, namespace):
    """The schema that a name stands for; remembers each named type and all within it."""
    if isinstance(schema, str):
        return known.get(f"{namespace}.{schema}", known.get(schema, schema))
    if schema.get("name") and schema["type"] in ("record", "enum", "fixed"):
        namespace = schema.get("namespace", namespace)
        known[f"{namespace}.{schema['name']}"] = schema
        for part in schema.get("fields", []):
            remember(part["type"], known, namespace)
    return schema


def remember(schema, known, namespace):
    """The named types of a schema that no value has led to yet."""
    for member in schema if isinstance(schema, list) else [schema]:
        if isinstance(member, dict):
            as_json_types(member, known, namespace)
            for inner in ("items", "values"):
                if inner in member:
                    remember(member[inner], known, namespace)


def single(value):
    """The number of the fewest digits that is this float of 32 bits."""
    if value != value or value in (float("inf"), float("-inf")):
        return value
    for digits in range(1, 10):
        near = float(f"{value:.{digits}g}")
        if struct.pack("f", near) == struct.pack("f", value):
            return near
    return value
