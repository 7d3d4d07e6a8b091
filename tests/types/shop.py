"""The shop's records folded to final rows in plain Python, values as wire text."""

import json
from pathlib import Path

SHOP = Path(__file__).resolve().parents[2] / "examples" / "shop"
UNAVAILABLE = "__debezium_unavailable_value"


class Number(str):
    """A JSON number with its own digits."""


def mariadb_rows():
    """(table, key) -> (row, mysqlType) of what canal's messages leave."""
    rows = {}
    for message in messages("mariadb"):
        table, data = message["table"], message["data"] or []
        if message["type"] in ("TRUNCATE", "ERASE"):
            rows = {key: value for key, value in rows.items() if key[0] != table}
        for index, row in enumerate(data):
            old = dict(row)
            if message["type"] == "UPDATE":
                old.update(message["old"][index])
            rows.pop((table, key_of(message["pkNames"], old)), None)
            if message["type"] != "DELETE":
                rows[table, key_of(message["pkNames"], row)] = (row, message["mysqlType"])
    return rows


def postgres_rows():
    """(table, key) -> (row, schema block) of what Debezium's messages leave."""
    rows, ever = {}, {}
    for message, record in messages_and_records("postgres"):
        payload = message["payload"]
        if "op" not in payload:
            continue
        table = payload["source"]["table"]
        if payload["op"] == "t":
            rows = {key: value for key, value in rows.items() if key[0] != table}
            continue
        key = json.loads(record["key"])["payload"]
        if payload["op"] == "d":
            rows.pop((table, key_of(key, key)), None)
            continue
        old = json.loads(dict(record["headers"]).get("__debezium.oldkey", "null")) or key
        kept = ever.get((table, key_of(old, old)), {})
        row = {
            column: kept[column] if value == UNAVAILABLE else wire_text(value)
            for column, value in payload["after"].items()
        }
        ever[table, key_of(key, key)] = row
        rows[table, key_of(key, key)] = (row, message["schema"])
    return rows


def expected_rows(database, table):
    """The database's own text of the final rows."""
    path = SHOP / "expected" / f"{database}.{table}.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def tables(database):
    """Tables with rows in the end."""
    return sorted(
        path.name.split(".")[1] for path in (SHOP / "expected").glob(f"{database}.*.jsonl")
    )


def messages(database):
    return [message for message, _ in messages_and_records(database)]


def messages_and_records(database):
    lines = (SHOP / "records" / f"{database}.jsonl").read_text("utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    return [
        (json.loads(record["value"], parse_float=Number, parse_int=Number), record)
        for record in records
        if record["value"] is not None
    ]


def key_of(names, row):
    return tuple(str(row[name]) for name in sorted(names))


def wire_text(value):
    """What silver keeps: strings and numbers as they stand, the rest as JSON."""
    if value is None:
        return None
    if isinstance(value, str):
        return str(value)
    return json.dumps(bare(value), ensure_ascii=False, separators=(",", ":"))


def bare(value):
    """Numbers inside nested values stand without quotes again."""
    if isinstance(value, Number):
        return json.loads(value)
    if isinstance(value, dict):
        return {name: bare(item) for name, item in value.items()}
    if isinstance(value, list):
        return [bare(item) for item in value]
    return value
