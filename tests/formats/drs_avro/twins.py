"""Writes messages.jsonl: records of drs_json and drs_json_c in Avro, by a schema inferred from their JSON, and invented ones.

`python -m tests.formats.drs_avro.twins` writes them anew.
"""

import base64
import json
from pathlib import Path

from tests.formats.drs_avro.reference import encoded

HERE = Path(__file__).parent
SCHEMA = "schemas/record.avsc"
FEED = {"avro_schemas": SCHEMA}


def twins():
    """Records whose JSON the schema can say."""
    for name in ("drs_json", "drs_json_c"):
        with (HERE.parent / name / "messages.jsonl").open(encoding="utf-8") as lines:
            records = [json.loads(line) for line in lines]
        for record in records:
            if record["topic"] == "bad_input" or record.get("by_hand") or "load_error" in record:
                continue
            twin = {key: record[key] for key in record if key not in ("value", "bad_input")}
            twin["case"] = f"drs_avro twin of {record['case']}"
            twin["topic"] = f"{name}_{record['topic']}"
            twin["feed"] = record.get("feed", {}) | FEED
            if record.get("value") is None:
                if "value_base64" not in record:
                    yield twin | {"value": None}
                continue
            try:
                message = json.loads(record["value"])
                twin["value_base64"] = encoded(SCHEMA, message)
            except Exception:
                continue
            yield twin


def invented():
    """Records that no producer wrote."""
    message = {
        "mysqlType": {"id": "int", "v": "varchar"}, "id": 1, "es": 1624614713000, "ts": 1625058726990, "database": "shop",
        "table": "t", "type": "INSERT", "isDdl": False, "sql": "", "sqlType": {"id": 4, "v": 12}, "pkNames": ["id"],
    }  # fmt: skip

    def row(**columns):
        return message | {"data": [{"id": "1"} | columns]}

    whole = base64.b64decode(encoded(SCHEMA, row(v="a")))
    header = b"\0\0\0\0\x07"
    yield from (
        (f"text: {text[:40]}", encoded(SCHEMA, row(v=text)), FEED)
        for text in (
            "1234567890123456789012345678901234567890", "1.10", "1e400", "-0.0", "18446744073709551615", "7" * 2000, '":1.5',
            'a"b\\c\n é', "null", "",
        )
    )  # fmt: skip
    yield "a null", encoded(SCHEMA, row(v=None)), FEED
    for case, value in {
        "a record behind a header of a schema registry": header + whole, "an empty value": b"", "a zero byte": b"\0",
        "cut off": whole[:-1], "cut off in the middle": whole[:40], "a byte behind the record": whole + b"\0",
        "two records": whole + whole, "a header twice": header + header + whole, "a header alone": header,
        "a header, cut off": header + whole[:-1], "noise": bytes(range(200, 256)),
        "JSON instead of Avro": json.dumps(row(v="a")).encode(), "Debezium's JSON instead of Avro":
        b'{"before":null,"after":{"id":1},"source":{"connector":"mysql"},"op":"c"}', "a byte order mark": b"\xef\xbb\xbf{}",
        "the JSON word null": b"null", "a stray brace": b"}", "two documents": b"{}{}", "no UTF-8": b"\xff\xfe",
        "JSON cut off": b'{"data":[', "text behind a document": b"{} x",
    }.items():  # fmt: skip
        yield case, base64.b64encode(value).decode(), FEED
    yield "a feed that names another schema", encoded(SCHEMA, row()), {"avro_schemas": "other.avsc"}
    for name, value in {
        "type": "X", "table": None, "database": None, "es": None, "ts": None, "pkNames": [], "data": [], "isDdl": None,
        "mysqlType": None,
    }.items():  # fmt: skip
        yield f"{name} is {value}", encoded(SCHEMA, row() | {name: value}), FEED
    yield "type is missing", encoded(SCHEMA, row() | {"type": None}), FEED


def main():
    """Writes messages.jsonl."""
    records = list(twins())
    for offset, (case, value, feed) in enumerate(invented()):
        place = {
            "topic": "invented_avro",
            "partition": 0,
            "offset": offset,
            "timestamp": 1763700000000 + offset,
        }
        records.append({"case": f"drs_avro: {case}"} | place | {"headers": [], "key": None, "value_base64": value, "feed": feed})  # fmt: skip
    records.append(records[-1] | {"case": "drs_avro: the loader could not read the record", "offset": 1000, "load_error": "line 3"})  # fmt: skip
    with (HERE / "messages.jsonl").open("w", encoding="utf-8") as out:
        for record in records:
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
    print(len(records), "records")


if __name__ == "__main__":
    main()
