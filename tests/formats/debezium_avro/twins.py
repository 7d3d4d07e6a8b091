"""Writes messages.jsonl and schemas/: records of debezium_json in Avro, and invented ones.

Schemas are those that Kafka Connect's Avro converter derives from a record's schema block; where a record has none,
one is inferred from its JSON. `python -m tests.formats.debezium_avro.twins` writes both anew.
"""

import base64
import io
import json
from pathlib import Path

import fastavro

from tests.formats.debezium_avro.reference import as_json_types, without_logical_types
from tests.formats.dts_avro.reference import spark_double

HERE = Path(__file__).parent
SAMPLES = tuple(
    f"debezium_{name} line"
    for name in [
        "postgres",
        "mysql",
        "oracle",
        "sqlserver",
        "mongodb",
        "heartbeat",
        "transaction",
        "schema_change",
    ]
)
CHOSEN = {
    "tombstone", "tombstone without a key", "the loader could not read the record, which has no value", "op is not known",
    "source has no table", "source has no connector", "an update without after", "after is missing",
    "a delete without before, the key tells", "a delete without before and key", "op is missing", "source is missing",
    "texts that look like numbers, JSON and message parts", "columns named as fields of messages",
    "key columns named schema and payload", "key columns from the feed, in its order",
    "key columns from the feed: an update that moves the row",
    "the same where the feed promises complete before images of PostgreSQL",
    "a null in the old key of PostgreSQL is no key", "key columns from the feed that a delete does not hold",
    "key columns from the feed that no message holds", "complete before images of PostgreSQL",
    "before images of PostgreSQL as sent", "every shape of the value that was not sent", "incremental snapshot",
    "db2: only the offset orders", "an update without Kafka key", "an old key that is written as the key is",
    "MongoDB: numbers in documents keep every digit", "MongoDB: a patch removes a field", "MongoDB: a patch inside a field",
    "a truncate in the schema change topic", "a table change without DDL text", "ts_ms is text", "before is a list",
    "a delete with the default replica identity beside defaults of columns", "a delete beside another value than a column's default",
    "fractions inside nested objects stand bare again", "a relational table with a column connector that holds mongodb",
}  # fmt: skip
PLAIN = {"int32": "int", "int64": "long", "float32": "float", "float64": "double"}


class NoTwin(Exception):
    """The record cannot be said in Avro; the message says why."""


# A schema block in Avro ----------------------------------------------------------------------------


def of_connect(block, seen):
    """The Avro schema that the converter derives from a type of a schema block."""
    kind = block["type"]
    own = {}
    if kind == "struct":
        namespace, _, name = block.get(
            "name", "io.confluent.connect.avro.ConnectDefault"
        ).rpartition(".")
        if f"{namespace}.{name}" in seen:
            return optional(f"{namespace}.{name}", block)
        seen.add(f"{namespace}.{name}")
        own = {
            "type": "record",
            "name": name,
            "namespace": namespace,
            "fields": [field_of(part, seen) for part in block["fields"]],
        }
    elif kind == "array":
        own = {"type": "array", "items": of_connect(block["items"], seen)}
    elif kind == "map":
        own = {"type": "map", "values": of_connect(block["values"], seen)}
    elif kind in ("int8", "int16"):
        own = {"type": "int", "connect.type": kind}
    else:
        own = {"type": PLAIN.get(kind, kind)}
    parameters = block.get("parameters")
    if block.get("name") == "org.apache.kafka.connect.data.Decimal":
        own |= {"scale": int(parameters["scale"]), "precision": 64, "logicalType": "decimal"}
    if "version" in block:
        own["connect.version"] = block["version"]
    if parameters:
        own["connect.parameters"] = parameters
    if "default" in block:
        own["connect.default"] = block["default"]
    if "name" in block:
        own["connect.name"] = block["name"]
    return optional(own["type"] if set(own) == {"type"} else own, block)


def optional(schema, block):
    """A union with null, the default's type first."""
    if not block.get("optional"):
        return schema
    return ["null", schema] if block.get("default") is None else [schema, "null"]


def field_of(block, seen):
    """A field of a record."""
    part = {"name": block["field"], "type": of_connect(block, seen)}
    if "default" in block:
        part["default"] = block["default"]
    elif block.get("optional"):
        part["default"] = None
    return part


# A schema inferred from JSON -----------------------------------------------------------------------


def inferred(value):
    """The shape of a JSON value."""
    if isinstance(value, dict):
        return {name: inferred(item) for name, item in value.items()}
    if isinstance(value, list):
        shape = None
        for item in value:
            shape = united(shape, inferred(item))
        return [shape]
    if isinstance(value, float):
        return "double"
    return {type(None): None, bool: "boolean", int: "long", str: "string"}[type(value)]


def united(one, other, path=()):
    """The shape of both. Messages of rows may differ in what they say, rows may not."""
    if one is None or other is None:
        return other if one is None else one
    if isinstance(one, dict) and isinstance(other, dict):
        names = list(one | other)
        may_differ = path == ("source",) or (not path and "op" in one and "op" in other)
        if may_differ or list(one) == list(other):
            return {name: united(one.get(name), other.get(name), (*path, name)) for name in names}
    if isinstance(one, list) and isinstance(other, list):
        return [united(one[0], other[0], (*path, 0))]
    if one != other:
        raise NoTwin("shapes differ")
    return one


def of_shape(shape, name, namespace):
    """The Avro schema of a shape: everything may be null."""
    if isinstance(shape, dict):
        parts = [
            {"name": part, "type": of_shape(inner, f"{name}_{part}", namespace), "default": None}
            for part, inner in shape.items()
        ]
        return ["null", {"type": "record", "name": name, "namespace": namespace, "fields": parts}]
    if isinstance(shape, list):
        return ["null", {"type": "array", "items": of_shape(shape[0], f"{name}_item", namespace)}]
    return ["null", shape or "string"]


# Values -------------------------------------------------------------------------------------------


def exact(digits):
    """A fraction as a double, if it is written as Java writes it."""
    if spark_double(float(digits)) != digits:
        raise NoTwin(f"the double {digits} is written otherwise")
    return float(digits)


def of_json(value, schema, known, namespace=""):
    """A JSON value as fastavro takes it."""
    if value is None:
        return None
    for member in schema if isinstance(schema, list) else [schema]:
        if member == "null":
            continue
        member = as_json_types(member, known, namespace)
        kind = member["type"] if isinstance(member, dict) else member
        if kind == "record":
            inner = member.get("namespace", namespace)
            return {
                part["name"]: of_json(value.get(part["name"]), part["type"], known, inner)
                for part in member["fields"]
            }
        if kind == "array":
            return [of_json(item, member["items"], known, namespace) for item in value]
        if kind == "map":
            return {
                name: of_json(item, member["values"], known, namespace)
                for name, item in value.items()
            }
        if kind in ("bytes", "fixed"):
            return base64.b64decode(value)
        return float(value) if kind in ("float", "double") else value
    raise NoTwin("a value where only null may stand")


def encoded(schema, value):
    """A record's bytes without a header."""
    schema = without_logical_types(schema)
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema), of_json(value, schema, {}))
    return out.getvalue()


def framed(number, body):
    """Bytes behind the header of a schema registry, in base64."""
    return base64.b64encode(b"\0" + number.to_bytes(4, "big") + body).decode()


# Twins --------------------------------------------------------------------------------------------


class Registry:
    """Schemas by number."""

    def __init__(self):
        self.texts, self.shapes = [], []

    def number_of_block(self, block):
        """The number of a schema block's Avro schema."""
        schema = of_connect(block, set())
        if schema not in self.texts:
            self.texts.append(schema)
            self.shapes.append(None)
        return self.texts.index(schema) + 1

    def number_of_shape(self, shape, kind):
        """The number of a schema for the shape, wider than it if one is there."""
        for place, known in enumerate(self.shapes):
            if known and known[1] == kind:
                try:
                    self.shapes[place] = (united(known[0], shape), kind)
                except NoTwin:
                    continue
                return place + 1
        self.texts.append(None)
        self.shapes.append((shape, kind))
        return len(self.shapes)

    def schema(self, number):
        """A schema, as far as it is known now."""
        if self.shapes[number - 1] is None:
            return self.texts[number - 1]
        shape, kind = self.shapes[number - 1]
        return of_shape(shape, "Key" if kind == "key" else "Envelope", f"inferred.{kind}{number}")[
            1
        ]


def read(text):
    """JSON as (schema block, message)."""
    message = json.loads(text, parse_float=exact)
    if not isinstance(message, dict):
        raise NoTwin("no object")
    if set(message) == {"schema", "payload"} and isinstance(message["schema"], dict | None):
        return message["schema"], message["payload"]
    return None, message


def describes(block, value):
    """Whether a schema block names every field of a value: the one of a sample may be cut short."""
    if block["type"] != "struct" or value is None:
        return True
    parts = {part["field"]: part for part in block["fields"]}
    return all(name in parts and describes(parts[name], value[name]) for name in value)


def chosen(record):
    """Whether a record of debezium_json is to have a twin."""
    case = record["case"]
    return (
        case in CHOSEN
        or case.startswith((*SAMPLES, "captured debezium_pgdefault", "captured debezium_madefault"))
        or case.startswith("captured debezium_pgheartbeat")
    )


def main():
    """Writes messages.jsonl and schemas/."""
    registry, planned, messages = Registry(), [], []
    with (HERE.parent / "debezium_json" / "messages.jsonl").open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    for record in filter(chosen, records):
        twin = {name: record[name] for name in record if name not in ("key", "value", "bad_input")}
        twin["case"] = f"debezium_avro twin of {record['case']}"
        twin["feed"] = record.get("feed", {}) | {"avro_schemas": "schemas"}
        try:
            sides = {}
            for side in ("key", "value"):
                if record.get(side) is None:
                    twin[side] = None
                    continue
                block, message = read(record[side])
                if message is None or not message:
                    raise NoTwin(f"no {side}")
                if block and not describes(block, message):
                    block = None
                sides[side] = (block, message, None if block else inferred(message))
        except (NoTwin, ValueError) as reason:
            print(f"no twin: {record['case']}: {reason}")
            continue
        for side, (block, message, shape) in sides.items():
            number = (
                registry.number_of_block(block) if block else registry.number_of_shape(shape, side)
            )
            planned.append((twin, side, number, message))
        messages.append(twin)
    for twin, side, number, message in planned:
        twin[f"{side}_base64"] = framed(number, encoded(registry.schema(number), message))
    texts = {
        number: json.dumps(registry.schema(number), ensure_ascii=False, separators=(",", ":"))
        for number in range(1, len(registry.texts) + 1)
    }
    invented_texts, invented = invented_records()
    for path in (HERE / "schemas").glob("*.avsc"):
        path.unlink()
    for number, text in (texts | invented_texts).items():
        (HERE / "schemas" / f"{number}.avsc").write_text(text, "utf-8")
    with (HERE / "messages.jsonl").open("w", encoding="utf-8") as out:
        for message in messages + invented:
            out.write(json.dumps(message, ensure_ascii=False) + "\n")
    print(
        f"{len(messages)} twins, {len(invented)} invented, {len(texts) + len(invented_texts)} schemas"
    )


# Invented records ---------------------------------------------------------------------------------

# As Avro's own printer writes it, with what SQL must not stumble over.
ROW = """{
  "type" : "record",
  "name" : "Envelope",
  "namespace" : "invented.shop.types",
  "doc" : "the owner's \\"types\\" \\\\ é",
  "fields" : [ {
    "name" : "before",
    "type" : [ "null", {
      "type" : "record",
      "name" : "Value",
      "fields" : [
        {"name" : "id", "type" : "long"},
        {"name" : "text", "type" : ["null", "string"], "default" : null},
        {"name" : "small", "type" : [{"type" : "int", "connect.type" : "int16", "connect.default" : 7}, "null"], "default" : 7},
        {"name" : "flag", "type" : ["null", "boolean"], "default" : null},
        {"name" : "single", "type" : ["null", "float"], "default" : null},
        {"name" : "number", "type" : ["null", "double"], "default" : null},
        {"name" : "amount", "type" : ["null", {
          "type" : "bytes", "scale" : 2, "precision" : 64, "connect.version" : 1, "connect.parameters" : {"scale" : "2"},
          "connect.name" : "org.apache.kafka.connect.data.Decimal", "logicalType" : "decimal"
        }], "default" : null},
        {"name" : "at", "type" : ["null", {
          "type" : "long", "connect.version" : 1, "connect.name" : "org.apache.kafka.connect.data.Timestamp",
          "logicalType" : "timestamp-millis"
        }], "default" : null},
        {"name" : "day", "type" : ["null", {"type" : "int", "logicalType": "date"}], "default" : null},
        {"name" : "logicalType", "type" : ["null", "string"], "default" : null},
        {"name" : "label", "type" : ["null", {"type" : "enum", "name" : "Label", "symbols" : ["red", "green"]}], "default" : null},
        {"name" : "digest", "type" : ["null", {"type" : "fixed", "name" : "Digest", "size" : 4}], "default" : null},
        {"name" : "list", "type" : ["null", {"type" : "array", "items" : ["null", "long"]}], "default" : null},
        {"name" : "tags", "type" : ["null", {"type" : "map", "values" : ["null", "string"]}], "default" : null},
        {"name" : "point", "type" : ["null", {
          "type" : "record", "name" : "Point", "namespace" : "invented.geometry",
          "fields" : [{"name" : "x", "type" : "double"}, {"name" : "wkb", "type" : ["null", "bytes"]}]
        }], "default" : null},
        {"name" : "other_point", "type" : ["null", "invented.geometry.Point"], "default" : null}
      ],
      "connect.name" : "invented.shop.types.Value"
    } ],
    "default" : null
  }, {
    "name" : "after", "type" : [ "null", "Value" ], "default" : null
  }, {
    "name" : "source", "type" : ["null", {
      "type" : "record", "name" : "Source", "namespace" : "io.debezium.connector.mysql",
      "fields" : [
        {"name" : "connector", "type" : "string"}, {"name" : "ts_ms", "type" : "long"}, {"name" : "db", "type" : "string"},
        {"name" : "table", "type" : ["null", "string"]}, {"name" : "server_id", "type" : "long"},
        {"name" : "file", "type" : "string"}, {"name" : "pos", "type" : "long"}, {"name" : "row", "type" : "int"}
      ]
    }]
  }, {
    "name" : "op", "type" : ["null", "string"]
  }, {
    "name" : "ts_ms", "type" : ["null", "long"]
  } ],
  "connect.version" : 1,
  "connect.name" : "invented.shop.types.Envelope"
}
"""
KEY = '{"type":"record","name":"Key","namespace":"invented.shop.types","fields":[{"name":"id","type":"long"}]}'
PAYMENT = (
    '{"type":"record","name":"Payment","fields":[{"name":"id","type":"long"},{"name":"amount","type":["null",'
    '{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}],"default":null}]}'
)
NUMBER_OP = '{"type":"record","name":"Envelope","fields":[{"name":"op","type":"int"},{"name":"ts_ms","type":"string"}]}'
INVENTED = {900: ROW, 901: KEY, 902: PAYMENT, 903: NUMBER_OP}
FEED = {"avro_schemas": "schemas"}


def body(number, value):
    """A record of an invented schema, without its header."""
    return encoded(json.loads(INVENTED[number]), value)


def event(op, before=None, after=None, **other):
    """A message of the invented table."""
    source = {
        "connector": "mysql", "ts_ms": 1763700000000, "db": "shop", "table": "types", "server_id": 5,
        "file": "mysql-bin.000007", "pos": 40, "row": 0,
    }  # fmt: skip
    return {
        "before": before,
        "after": after,
        "source": source,
        "op": op,
        "ts_ms": 1763700000001,
    } | other


def full(**columns):
    """A row of the invented table: what is not named is null."""
    return {"id": 1} | columns


def invented_records():
    """Schemas and records that no producer wrote."""
    records = []

    def add(case, value, key=b"", feed=FEED, **other):
        records.append(
            {
                "case": case if case.startswith("bad input") else f"debezium_avro: {case}", "topic": "invented_avro", "partition": 0, "offset": len(records),
                "timestamp": 1763700000002 + len(records), "headers": [], "feed": feed,
                "key_base64": framed(901, body(901, {"id": 1})) if key == b"" else key and base64.b64encode(key).decode(),
                "value_base64": value if value is None or isinstance(value, str) else base64.b64encode(value).decode(),
            } | other
        )  # fmt: skip

    def row(case, message, **other):
        add(case, framed(900, body(900, message)), **other)

    texts = {
        "a number of 40 digits": "1234567890123456789012345678901234567890", "a trailing zero": "1.10",
        "beyond a double": "1e400", "the largest unsigned number": "18446744073709551615", "2,000 digits": "7" * 2000,
        "a text that looks like a fraction in JSON": '":1.5', "quotes and backslashes": 'a"b\\c\n\t\u0001 é 𝄞',
        "the word null": "null", "an empty text": "", "an object": '{"a":1.50}',
        "NaN as text": "NaN",
    }  # fmt: skip
    for case, text in texts.items():
        row(f"text: {case}", event("c", after=full(text=text)))
    for case, number in {
        "a signed zero": -0.0, "not a number": float("nan"), "infinite": float("inf"), "below all": float("-inf"), "short": 0.1,
        "large": 1e22, "tiny": 4.9e-7, "whole": 100.0, "the largest": 1.7976931348623157e308,
    }.items():  # fmt: skip
        single = (
            number
            if abs(number) < 1e30 or number != number or abs(number) == float("inf")
            else 3.4028235e38
        )
        row(f"number: {case}", event("c", after=full(number=number, single=single)))
    row("the limits of a long", event("u", full(id=-(2**63)), full(id=2**63 - 1), ts_ms=0))
    row(
        "every type",
        event("u", full(text="a"), full(
            text="b", small=-3, flag=True, single=1.1, number=2.5, amount="MDk=", at=1763700000003, day=20000, logicalType="x",
            label="green", digest="AP9/gA==", list=[1, None, 3], tags={"a": None, "b": "c"}, point={"x": 1.5, "wkb": "AQI="},
            other_point={"x": -2.0, "wkb": None},
        )),
    )  # fmt: skip
    row("an empty list, an empty map", event("c", after=full(list=[], tags={})))
    row("a snapshot row", event("r", after=full(text="a")))
    row("a truncate", event("t"), key=None)
    row("op is not known", event("x", after=full()))
    row("op is null", event(None, after=full()))
    row("source is null", event("c", after=full(), source=None))
    row("an insert without after", event("c"))
    row("a delete without before, the key tells", event("d"))
    row("a delete without before and key", event("d"), key=None)
    row("ts_ms is null", event("c", after=full(), ts_ms=None))
    row(
        "key columns from the feed",
        event("u", full(id=1), full(id=2)),
        feed=FEED | {"key_columns": {"shop.types": ["id"]}},
    )
    row(
        "a folder with a slash at its end",
        event("c", after=full()),
        feed={"avro_schemas": "schemas/"},
    )
    add("a tombstone", None)
    add("a tombstone whose key cannot be read", None, key=b"\0\0\0\x03\x85")
    add("op is a number, ts_ms a text", framed(903, body(903, {"op": 1, "ts_ms": "x"})))
    add("a record of another kind", framed(902, body(902, {"id": 1, "amount": "AQ=="})))

    whole = body(900, event("c", after=full(text="a")))
    header = b"\0" + (900).to_bytes(4, "big")
    for case, value in {
        "an empty value": b"", "one zero byte": b"\0", "a header cut off": header[:4], "a header alone": header,
        "cut off": header + whole[:-1], "cut off in the middle": header + whole[: len(whole) // 2],
        "a byte behind the record": header + whole + b"\0", "two records": header + whole + header + whole,
        "a negative length": header + b"\x01" * 20, "noise": header + bytes(range(200, 256)),
        "no header": whole, "another first byte": b"\x01" + header[1:] + whole, "a header twice": header + header + whole,
        "a schema without a file": b"\0\0\0\x03\xe7" + whole, "the highest schema": b"\0\xff\xff\xff\xff" + whole,
        "the schema of the key": b"\0\0\0\x03\x85" + whole,
    }.items():  # fmt: skip
        add(case, value)
    add("the same schema of another folder", header + whole, feed={"avro_schemas": "others"})
    add("the loader could not read the record", header + whole, load_error="line 3 is no record")
    add(
        "the loader could not read the record, nor can Avro",
        whole,
        load_error="line 3 is no record",
    )
    for case, key in {
        "a key of a schema without a file": b"\0\0\0\x03\xe7\x02", "a key cut off": b"\0\0\0\x03\x85",
        "bytes behind the key": b"\0\0\0\x03\x85\x02\x02", "a key in JSON": b'{"id":1}', "a key of plain text": b"1",
        "an empty key": b"\x20", "a key of a zero byte": b"\0", "a key that is not UTF-8": b"\xff\xfe", "no key": None,
    }.items():  # fmt: skip
        row(case, event("c", after=full()), key=key)
    row(
        "a key that cannot be read, and a feed that names the columns",
        event("c", after=full(id=5)), key=b"\0\0\0\x03\x85", feed=FEED | {"key_columns": {"shop.types": ["id"]}},
    )  # fmt: skip
    for case, text in {
        "Debezium's JSON": '{"before":null,"after":{"id":1},"source":{"connector":"mysql","db":"shop","table":"t"},"op":"c","ts_ms":1}',
        "Debezium's JSON with a byte order mark": '\ufeff{"before":null,"after":{"id":1},"source":{"connector":"mysql"},"op":"c"}',
        "a Canal message": '{"data":[{"id":"1"}],"database":"shop","es":1,"id":1,"isDdl":false,"old":null,"pkNames":["id"],"table":"t","ts":2,"type":"INSERT"}',
        "JSON cut off": '{"before":null,', "the JSON word null": "null", "a blank": " ", "a stray brace": "}", "two documents": "{}{}",
        "text behind a document": "{} x", "a text": '"x"',
    }.items():  # fmt: skip
        add(f"{case} instead of Avro", text.encode())
    add("no UTF-8 instead of Avro", b"\xff\xfe")
    with (HERE.parent / "debezium_json" / "messages.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            if record["topic"] == "bad_input" and record.get("value"):
                add(record["case"], record["value"].encode("utf-8", "surrogatepass"))
    for record in records:
        for side in ("key", "value"):
            if record[f"{side}_base64"] is None:
                del record[f"{side}_base64"]
                record[side] = None
    return INVENTED, records


if __name__ == "__main__":
    main()
