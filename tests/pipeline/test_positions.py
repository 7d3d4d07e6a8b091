"""What a position proves decides; inside one partition the offset decides the rest; and what images contradict is reported."""

import json
from pathlib import Path

import pytest
import yaml

from ingestion.bronze.tables import create_tables
from ingestion.config.feeds import Feed
from tests.pipeline.shop_records import shown

pytestmark = pytest.mark.long

HERE = Path(__file__).with_name("positions")
FEEDS = {
    "positions": "debezium_json",
    "position_commits": "canal_json_ticdc",
    "position_cloudcanal": "debezium_cloudcanal",
    "position_dtle": "dtle",
    "position_maxwell": "maxwell",
    "position_trail": "ogg_json",
}
# what each format with positions of MySQL's log is asked
OF_ALL = {
    "mariadb_shared_positions": ({1: "new", 3: "paid"}, {1: "sent", 3: "done"}),
    "mysql_beyond_4_gib": ({1: "step"}, {1: "final", 2: "new"}),
}
SETTINGS = {
    "position_cloudcanal": {"key_columns": {f"{case}.orders": ["id"] for case in OF_ALL}},
    "position_maxwell": {"order": "position"},
}
# with the database as a pattern where it reads several cases or variants of one table
ORDERS = """{{{{ cdc.current_state(
    feed='{feed}', database={{'pattern': '(mariadb|mysql)_.*'}}, table='orders', key=['of', 'id'],
    columns={{'of': {{'type': 'string', 'source': '@database'}}, 'id': 'bigint', 'status': 'string'}}
) }}}}"""
MODELS = {
    "position_orders": ORDERS.format(feed="positions"),
    "position_cloudcanal": ORDERS.format(feed="position_cloudcanal"),
    "position_dtle": ORDERS.format(feed="position_dtle"),
    "position_maxwell": ORDERS.format(feed="position_maxwell"),
    "position_trail": """{{ cdc.current_state(
    feed='position_trail', schema='shop', table='orders', key=['id'], columns={'id': 'bigint', 'status': 'string'}
) }}""",
    "position_accounts": """{{ cdc.current_state(
    feed='positions', database='bank', schema='dbo', table='accounts', key=['id'],
    columns={'id': 'bigint', 'code': 'string'}
) }}""",
    "position_documents": """{{ cdc.current_state(
    feed='positions', database='mongodb_wall_time', table='orders', key=['id'],
    columns={'id': {'type': 'bigint', 'source': '_id'}, 'status': 'string'}
) }}""",
    "position_customers": """{{ cdc.current_state(
    feed='position_commits', database='shop', table='customers', key=['id'],
    columns={'id': 'bigint', 'email': 'string', 'name': 'string'}
) }}""",
    "position_captured": """{{ cdc.current_state(
    feed='positions', database={'pattern': 'captured.*'}, table='orders', key=['of', 'id'],
    columns={'of': {'type': 'string', 'source': '@database'}, 'id': 'bigint', 'v': 'string', 'n': 'bigint'}
) }}""",
    "position_captured_lines": """{{ cdc.current_state(
    feed='positions', database={'pattern': 'captured.*'}, table='lines_', key=['of', 'id', 'line'],
    columns={
        'of': {'type': 'string', 'source': '@database'}, 'id': 'bigint', 'line': 'bigint', 'v': 'string',
        'd': 'decimal(12,2)'
    }
) }}""",
    "position_log_lines": """{{ cdc.current_rows(
    feed='positions', database='keyless', table='log_lines', columns={'line': 'string'}
) }}""",
}
CASES = {
    "position_cloudcanal": OF_ALL,
    "position_dtle": OF_ALL,
    "position_maxwell": OF_ALL,
    "position_trail": {None: ({1: "paid"}, {1: "sent"})},
    "position_orders": {
        **OF_ALL,
        "mysql_failback": ({10: "b", 11: "made on B"}, {10: "c", 11: "changed on A"}),
    },
    "position_accounts": {None: ({1: "B2"}, {1: "C3"})},
    "position_documents": {None: ({1: "paid", 2: "new"}, {1: "shipped", 3: "new"})},
    "position_customers": {
        None: ({1: "a@example.com", 2: "b@example.com"}, {1: "z@example.com"}),
    },
}


def lines(name):
    return [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]


def text(value):
    return None if value is None else json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def record(told, **more):
    """A record as a load lands it."""
    whole = {"headers": [], **told, **more}
    return whole | {
        "key": whole["key"] if isinstance(whole["key"], str) else text(whole["key"]),
        "value": text(whole["value"]),
    }


def in_database(told, database):
    """The record as a source of another database would send it."""
    value = told["value"] and told["value"] | {"source": told["value"]["source"] | {"db": database}}
    return told | {"value": value, "topic": f"{database}.{told['topic'].split('.')[-1]}"}


def cases():
    """The records of the cases by feed and load."""
    found = {feed: ([], []) for feed in FEEDS}
    for told in lines("cases.jsonl"):
        name, load = told.pop("case"), told.pop("load")
        if name == "ticdc_split_update":
            found["position_commits"][load].append(record(told))
        else:
            moved = told if name == "sqlserver_command_order" else in_database(told, name)
            found["positions"][load].append(record(moved))
        # none of the others writes tombstones
        if name in OF_ALL and told["value"]:
            found["position_cloudcanal"][load].append(record(by_cloudcanal(moved)))
            found["position_dtle"][load].append(record(by_dtle(moved)))
            found["position_maxwell"][load].append(record(by_maxwell(moved, load)))
    return found


def by_cloudcanal(told):
    """The record of Debezium as CloudCanal writes it: without the key, and with the connector's name for display."""
    payload = told["value"] | {"source": told["value"]["source"] | {"connector": "MySQL"}}
    value = {"schema": None, "payload": payload}
    return told | {"key": None, "value": value}


def by_dtle(told):
    """The record as dtle writes it, which names no connector."""
    source = {
        name: told["value"]["source"][name]
        for name in ("version", "name", "server_id", "gtid", "file", "pos", "row", "db", "table")
    }
    source |= {"ts_sec": 1760000000, "snapshot": False, "thread": None}
    columns = [{"field": "id", "type": "int64"}, {"field": "status", "type": "string"}]
    images = [
        {"field": image, "type": "struct", "fields": columns} for image in ("before", "after")
    ]
    key = {"type": "struct", "fields": columns[:1]}
    return told | {
        "key": {"schema": key, "payload": json.loads(told["key"])},
        "value": {
            "schema": {"type": "struct", "fields": images},
            "payload": told["value"] | {"source": source},
        },
    }


def by_maxwell(told, load):
    """The record as Maxwell writes it; of MariaDB's second load with positions as from 11.4 on, which are negative."""
    change, source = told["value"], told["value"]["source"]
    words = {"c": "insert", "u": "update", "d": "delete"}
    row = change["after"] or change["before"]
    position = source["pos"] - (load * 2**31 if source["connector"] == "mariadb" else 0)
    place = {"database": source["db"], "table": "orders"}
    value = place | {"type": words[change["op"]], "ts": 1760000000}
    value |= {"xid": 7, "commit": True, "primary_key": [row["id"]], "primary_key_columns": ["id"]}
    value |= {"position": f"{source['file']}:{position}", "data": row}
    if change["op"] == "u":
        value["old"] = {
            name: old for name, old in change["before"].items() if old != change["after"][name]
        }
    return told | {"key": json.dumps(place | {"pk.id": row["id"]}), "value": value}


def trail():
    """GoldenGate's records of one commit that goes on in the trail's next file; the second load sends them again, and its end."""

    def sent(offset, before, after, file, place):
        told = {"table": "shop.orders", "op_type": "U" if before else "I", "csn": "9"}
        told |= {"pos": f"{file:010}{place:010}", "op_ts": "2026-01-01 00:00:00.000000"}
        images = {"before": before and row(before), "after": row(after)}
        where = {"topic": "trail.orders", "partition": 0, "timestamp": 1760000000000 + offset}
        value = told | images | {"primary_keys": ["id"]}
        return record(where | {"offset": offset, "key": None, "value": value})

    def row(status):
        return {"id": 1, "status": status}

    one = [(None, "new", 1, 9000), ("new", "paid", 2, 100)]
    first, again = ([sent(start + number, *one[number]) for number in (0, 1)] for start in (0, 2))
    return first, [*again, sent(4, "paid", "sent", 2, 200)]


def captured():
    """As captured; with parts sent again, as by a connector that starts again; in two partitions, by key."""
    told = lines("mariadb_11_4.jsonl")
    topics = {one["topic"] for one in told}
    found = []
    for topic in sorted(topics):
        own = [one for one in told if one["topic"] == topic]
        found += [record(in_database(one, "captured")) for one in own]
        # what came since the offset that was stored last, in the middle of a transaction too
        repeated = own[:100] + own[40:200] + own[120:] + own[-30:]
        found += [
            record(in_database(one, "captured_repeated"), offset=offset)
            for offset, one in enumerate(repeated)
        ]
        next_offset = [0, 0]
        for one in repeated:
            partition = sum(text(one["key"]).encode()) % 2
            split = in_database(one, "captured_split")
            found.append(record(split, partition=partition, offset=next_offset[partition]))
            next_offset[partition] += 1
    return found


def change(database, table, op, offset, before, after, partition=0, keyed=True, **source):
    """A change of MariaDB from 11.4 on, or of another connector that `source` names."""
    told = {"version": "3.4.0.Final", "connector": "mariadb", "ts_ms": 1, "snapshot": "false"}
    told |= {"db": database, "table": table, "server_id": 1, "file": "binlog.000003"} | source
    return record(
        {
            "topic": f"{database}.{table}",
            "partition": partition,
            "offset": offset,
            "timestamp": 1760000000000 + offset,
            "key": {"id": (after or before)["id"]} if keyed else None,
            "value": {"before": before, "after": after, "source": told, "op": op, "ts_ms": 2},
        }
    )


def log_lines():
    """Rows of a table without a key: two statements of one transaction bring equal ones; then it is sent again."""

    def sent(offset, line, row, pos, partition=0, op="c"):
        images = ({"line": line}, None) if op == "d" else (None, {"line": line})
        place = {"row": row, "pos": pos, "keyed": False, "partition": partition}
        return change("keyless", "log_lines", op, offset, *images, **place)

    transaction = [("a", 0, 500), ("b", 1, 500), ("a", 0, 500), ("c", 0, 900)]
    told = [sent(offset, *one) for offset, one in enumerate(transaction + transaction)]
    told.append(sent(8, "b", 0, 950, op="d"))
    # equal rows of one statement, in two partitions: their numbers in the event tell them apart
    return [*told, sent(9, "d", 0, 990), sent(0, "d", 1, 990, partition=1)]


VECTOR = {"type": "array", "items": {"type": "double"}, "name": "io.debezium.data.DoubleVector"}


def contradictions():
    """Changes whose images contradict the winner that positions choose, and some that only look like that."""
    oracle = {"connector": "oracle", "schema": "S", "file": None}
    postgres = {"connector": "postgresql", "schema": "public", "file": None}
    one, other = {"id": 1, "v": "a"}, {"id": 1, "v": "b"}

    def at(number):
        return {"scn": str(number), "commit_scn": str(number), **oracle}

    def after(number):
        return {"sequence": json.dumps([str(number), str(number)]), **postgres}

    def embedded(offset, op, before, vector):
        columns = [{"field": "id", "type": "int32"}, {"field": "embedding", **VECTOR}]
        fields = [{"field": "after", "type": "struct", "fields": columns}]
        row = {"id": 1, "embedding": vector}
        told = change("shop", "embedded", op, offset, before, row, **after(100 * (offset + 1)))
        payload = json.loads(told["value"])
        return told | {
            "value": text({"schema": {"type": "struct", "fields": fields}, "payload": payload})
        }

    return [
        # an unchanged vector that PostgreSQL left out; and one that is not NULL
        embedded(0, "c", None, [0.5, 1.5]),
        embedded(1, "u", None, None),
        embedded(2, "u", None, [2.5]),
        # a deleted row that lives: its delete came behind it, and has a lower position
        change("shop", "living", "c", 0, None, one, **at(1000)),
        change("shop", "living", "d", 1, one, None, **at(900)),
        # a row that came again lives no more: its insert came behind the delete, and has a lower position
        change("shop", "reborn", "c", 0, None, one, **at(800)),
        change("shop", "reborn", "d", 1, one, None, **at(1000)),
        change("shop", "reborn", "c", 2, None, one, **at(900)),
        # an update that finds no row, in a format without whole images
        change("shop", "revived", "c", 0, None, one, **after(100)),
        change("shop", "revived", "d", 1, one, None, **after(200)),
        change("shop", "revived", "u", 2, None, other, **after(300)),
        # one transaction, sent again from its middle
        change("shop", "repeated", "c", 0, None, one, pos=500, row=0),
        change("shop", "repeated", "u", 1, one, other, pos=500, row=0),
        change("shop", "repeated", "u", 2, other, one, pos=500, row=0),
        change("shop", "repeated", "u", 3, one, other, pos=500, row=0),
        change("shop", "repeated", "u", 4, other, one, pos=500, row=0),
        change("shop", "repeated", "d", 5, one, None, pos=700, row=0),
        # a file's positions begin again, and the table's rows do not show a step of more than 2 GiB
        change("shop", "fallen", "c", 0, None, one, pos=1_900_000_000, row=0),
        change("shop", "fallen", "c", 1, None, {"id": 2, "v": "a"}, pos=100_000_000, row=0),
        # one position and two partitions: nothing decides
        change("shop", "tied", "c", 0, None, one, pos=500, row=0),
        change("shop", "tied", "u", 0, one, other, pos=500, row=0, partition=1),
    ]


@pytest.fixture(scope="module")
def built(lakehouse):
    """All of it in two loads, gold after each, and what the tests of order report then."""
    before = lakehouse.feeds
    for feed, format_name in FEEDS.items():
        told = {"files": f"in/{feed}"} | SETTINGS.get(feed, {})
        lakehouse.add_feed(feed, format=format_name, **told)
    create_tables(lakehouse.spark, str(lakehouse.root / "lakehouse" / "bronze"))
    for name, model in MODELS.items():
        lakehouse.write_model(name, model + "\n")
    tested = {"name": "position_log_lines", "data_tests": ["every_row_is_counted"]}
    declared = lakehouse.root / "models" / "gold" / "_positions.yml"
    declared.write_text(yaml.safe_dump({"models": [tested]}))
    told, gold = cases() | {"position_trail": trail()}, []
    rest = captured() + log_lines() + contradictions()
    told["positions"][0].extend(rest[0::2])
    told["positions"][1].extend(rest[1::2])
    for load in (0, 1):
        for feed, loads in told.items():
            lakehouse.land(Feed(name=feed, format=FEEDS[feed]), load, loads[load])
        lakehouse.run("--select", "silver", *MODELS)
        gold.append({name: lakehouse.sql(f"select * from gold.{name}") for name in MODELS})
    found = {
        test: shown(lakehouse, "--select", test)
        for test in ("order_is_decided", "images_follow_each_other")
    }
    counted = shown(lakehouse, "--select", "position_log_lines,test_name:every_row_is_counted")
    yield gold, found, counted
    lakehouse.set_feeds(before)
    declared.unlink()
    for name in MODELS:
        (lakehouse.root / "models" / "gold" / f"{name}.sql").unlink()


@pytest.mark.parametrize(
    ("model", "case"), [(model, case) for model, told in CASES.items() for case in told]
)
@pytest.mark.parametrize("load", [0, 1])
def test_gold_is_what_the_source_holds(built, model, case, load):
    gold, _, _ = built
    rows = [row for row in gold[load][model] if case is None or row.of == case]
    value = {"position_accounts": "code", "position_customers": "email"}.get(model, "status")
    assert {row.id: row[value] for row in rows} == CASES[model][case][load]


@pytest.mark.parametrize("variant", ["captured", "captured_repeated", "captured_split"])
@pytest.mark.parametrize("table", ["orders", "lines_"])
def test_rows_of_mariadb_that_share_positions_are_those_of_the_source(built, table, variant):
    gold, _, _ = built
    model = "position_captured" if table == "orders" else "position_captured_lines"
    truth = json.loads((HERE / "mariadb_11_4.truth.json").read_text())[table]
    names = list(truth[0])
    rows = [[str(row[name]) for name in names] for row in gold[1][model] if row.of == variant]
    assert len(rows) > 30
    assert sorted(rows) == sorted([row[name] for name in names] for row in truth)


def test_equal_rows_without_a_key_count_as_often_as_the_source_has_them(built):
    gold, _, _ = built
    assert sorted(row.line for row in gold[1]["position_log_lines"]) == ["a", "a", "c", "d", "d"]


def test_equal_rows_that_may_have_been_sent_again_are_reported(built):
    _, _, counted = built
    assert {row["finding"].split(":")[0] for row in counted} == {
        "an equal change stands before it at one position"
    }
    assert len(counted) == 2


def test_only_what_no_position_decides_is_reported(built):
    _, found, _ = built
    places = [
        (row["table_name"], *json.loads(row["row_key"] or "[]"), row["finding"])
        for row in found["order_is_decided"]
    ]
    lower = "positions began again lower, and lose: was the source restored or replaced?"
    assert sorted(places) == [
        ("fallen", lower),
        ("tied", "1", "different changes at one position, in several partitions"),
    ]


def test_images_that_contradict_the_winner_are_reported_with_both_places(built):
    _, found, _ = built
    reported = {
        row["table_name"]: (row["finding"], row["previous_place"], row["place"])
        for row in found["images_follow_each_other"]
    }
    assert set(reported) == {"embedded", "living", "reborn", "revived"}
    finding, before, update = reported["embedded"]
    assert finding.startswith("NULL came where the row had a large value")
    assert (json.loads(before)[2], json.loads(update)[2]) == (0, 1)
    overtaken = "it came after a change, found the row as that one left it, and loses to it"
    finding, deleted, insert = reported["reborn"]
    assert finding.startswith(overtaken)
    assert (json.loads(deleted)[2], json.loads(insert)[2]) == (1, 2)
    finding, winner, loser = reported["living"]
    assert finding.startswith("it came after a change")
    assert (json.loads(winner), json.loads(loser)) == (["shop.living", 0, 0], ["shop.living", 0, 1])
    finding, deleted, update = reported["revived"]
    assert finding == "the row was deleted before"
    assert (json.loads(deleted)[2], json.loads(update)[2]) == (1, 2)
