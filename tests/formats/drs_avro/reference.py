"""What a record of drs_avro must become, read from docs/formats/drs_avro.md and not from the SQL: the record becomes the
text of drs_json, whose reference reads it."""

import base64
import io
import json
from pathlib import Path

import fastavro

from tests.formats.debezium_avro.reference import as_json, without_logical_types
from tests.formats.drs_json.reference import drs_rows
from tests.formats.reference import base_row, sequence, wire_bytes, with_relative

HERE = Path(__file__).parent


def rows(record):
    """Rows of one record."""
    raw = wire_bytes(record, "value")
    plain = {name: record[name] for name in record if name != "value_base64"}
    plain["value"] = None if raw is None else json_text(record.get("feed", {}), raw)
    if raw is not None and plain["value"] is None:
        reason = "the value is not one whole record of the Avro schema that the feed names"
        reason = record.get("load_error") or (reason if raw else "the value is empty")
        error = with_relative(reason, raw.decode("utf-8", "replace"), "drs_avro")
        return [sequence(base_row(record, "drs_avro")) | {"operation": "unknown", "error": error}]
    found = drs_rows(plain, "drs_avro", None)
    for row in found:
        if row["error"]:
            row["error"] = row["error"].partition("; this looks like ")[0]
    return found


def json_text(feed, raw):
    """The JSON text of a whole record, with or without a header; None where there is none."""
    path = HERE / feed.get("avro_schemas", "none")
    if not path.is_file():
        return None
    schema = without_logical_types(json.loads(path.read_text("utf-8")))
    for start in (0, 5) if len(raw) >= 5 and raw[0] == 0 else (0,):
        content = io.BytesIO(raw[start:])
        try:
            value = fastavro.schemaless_reader(content, fastavro.parse_schema(schema), None)
        except Exception:
            continue
        if not content.read():
            # the order of an Avro map says nothing
            types = value.get("mysqlType")
            if types:
                value["mysqlType"] = {name: types[name] for name in sorted(types, key=json.dumps)}
            return as_json(value, schema, {}, "")
    return None


def encoded(schema_file, message):
    """A message in Avro, in base64."""
    schema = json.loads((HERE / schema_file).read_text("utf-8"))
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema), message)
    return base64.b64encode(out.getvalue()).decode()
