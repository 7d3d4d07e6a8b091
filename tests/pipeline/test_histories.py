"""Random histories with moved rows, shuffled, repeated and with losses: gold equals a reading in plain Python."""

import json
import random

import pytest

from ingestion.config import Feed

SEED = 20261121
KEYS, CHANGES, LOADS = 60, 400, 3
UNAVAILABLE = "__debezium_unavailable_value"
# a TRUNCATE empties a whole table: after which changes
TABLES = {"kept": (), "emptied": (200, 300, 360)}
MODEL = """{{{{ current_state(
    feed='histories', schema='public', table='{table}', key=['id'],
    columns={{'id': 'int', 'amount': 'int', 'note': 'string', 'body': 'string'}}
) }}}}
"""


class Source:
    """A table that changes at random, and the messages that a connector would send of it."""

    def __init__(self, table, chance):
        self.table, self.chance = table, chance
        self.rows, self.messages, self.position = {}, [], 1000

    def change(self):
        key = self.chance.randrange(KEYS)
        if key not in self.rows:
            self.rows[key] = self.values()
            self.send("c", key, self.rows[key])
            return
        kind = self.chance.choice(["update", *["partial"] * 4, "delete", "move", "swap"])
        if kind == "delete":
            del self.rows[key]
            self.send("d", key, None)
        elif kind == "move":
            free = [one for one in range(KEYS) if one not in self.rows]
            if free:
                self.move(key, self.chance.choice(free))
        elif kind == "swap":
            other = self.chance.choice([one for one in self.rows])
            if other != key:
                self.move(key, KEYS)
                self.move(other, key)
                self.move(KEYS, other)
        else:
            new = self.values()
            kept = ["note", "body"] if kind == "partial" else []
            self.rows[key] = new | {name: self.rows[key][name] for name in kept}
            self.send("u", key, new | dict.fromkeys(kept, UNAVAILABLE))

    def move(self, key, new):
        """A delete and a create of one position; the create may lack what did not change."""
        row = self.rows[new] = self.rows.pop(key)
        kept = self.chance.choice([(), ("body",), ("note", "body")])
        self.send("d", key, None)
        self.position -= 10
        self.send("c", new, row | dict.fromkeys(kept, UNAVAILABLE), key)

    def truncate(self):
        self.rows.clear()
        self.send("t", None, None)

    def values(self):
        # a number that is none is reported, and not NULL in silence
        amount = self.chance.choice([self.chance.randrange(1000), None, "many"])
        return {"amount": amount, "note": self.text(), "body": self.text()}

    def text(self):
        return self.chance.choice([None, f"text {self.chance.randrange(10**6)}"])

    def send(self, op, key, row, old_key=None):
        self.position += 10
        self.messages.append((self.position, op, key, row, old_key))


def record(table, offset, position, op, key, row, old_key):
    source = {"connector": "postgresql", "db": "shop", "schema": "public", "table": table}
    source |= {
        "snapshot": "false",
        "sequence": json.dumps([str(position), str(position)]),
        "ts_ms": position,
    }
    identity = key if key is None else {"id": key}
    before = identity | dict.fromkeys(("amount", "note", "body")) if op == "d" else None
    message = {
        "before": before,
        "after": row and identity | row,
        "source": source,
        "op": op,
        "ts_ms": 2,
    }
    return {
        "topic": f"shop.{table}",
        "partition": 0,
        "offset": offset,
        "timestamp": 0,
        "headers": [] if old_key is None else [("__debezium.oldkey", json.dumps({"id": old_key}))],
        "key": identity and json.dumps(identity),
        "value": json.dumps(message),
    }


def replayed(messages):
    """The rows that live in the end; a value that no message has told is missing."""
    newest = {key: versions[-1] for key, versions in versions_told(messages).items()}
    return {key: row for key, (row, _, ended) in newest.items() if ended is None}


def versions_told(messages):
    """Per key every version of its row, with the times that it began and ended, read one after the other."""
    versions, rows, left, seen = {}, {}, {}, set()
    for position, op, key, row, old_key in sorted(messages, key=lambda message: message[0]):
        ended = list(rows) if op == "t" else [key]
        if op != "t" and (position, op, key) in seen:
            continue
        seen.add((position, op, key))
        for one in ended:
            if rows.get(one) is not None and versions[one][-1][2] is None:
                versions[one][-1][2] = position
        if op == "t":
            rows.clear()
        elif op == "d":
            # the row may come again under another key, by a create of the same position
            left[position] = rows.pop(key, left.get(position, {}))
        else:
            told = {name: value for name, value in row.items() if value != UNAVAILABLE}
            before = rows.get(key, {})
            if old_key is not None:
                before = left.get(position, rows.get(old_key, {}))
            rows[key] = before | told
            versions.setdefault(key, []).append([rows[key], position, None])
    return versions


@pytest.fixture(scope="module")
def histories(shop):
    before = shop.feeds
    shop.add_feed("histories", format="debezium_json", files="in/histories")
    chance = random.Random(SEED)
    arrived = {}
    for table, truncates in TABLES.items():
        shop.write_model(f"histories_{table}", MODEL.format(table=table))
        shop.write_model(
            f"histories_{table}_history",
            MODEL.format(table=table).replace("current_state(", "history("),
        )
        source = Source(table, chance)
        for number in range(CHANGES):
            source.change()
            if number in truncates:
                source.truncate()
        # some messages were lost before they reached Kafka, some were sent twice
        sent = [one for one in source.messages if chance.random() > 0.3]
        arrived[table] = sent + chance.sample(sent, len(sent) // 10)
    records = [
        record(table, offset, *message)
        for table, messages in arrived.items()
        for offset, message in enumerate(messages)
    ]
    # a TRUNCATE comes behind all that it empties
    chance.shuffle(records)
    records.sort(key=lambda record: record["key"] is None)
    part = -(-len(records) // LOADS)
    for load in range(LOADS):
        shop.land(
            Feed(name="histories", format="debezium_json"),
            load,
            records[load * part : (load + 1) * part],
        )
        shop.run("--select", "silver", *(f"histories_{table}" for table in TABLES))
    shop.run("--select", *(f"histories_{table}_history" for table in TABLES))
    yield shop, arrived
    shop.set_feeds(before)
    for table in TABLES:
        for model in (table, f"{table}_history"):
            (shop.root / "models" / "gold" / f"histories_{model}.sql").unlink()


def gold(shop, table):
    rows = {}
    for row in shop.sql(f"select * from gold.histories_{table}"):
        known = {"amount": row.amount, "note": row.note, "body": row.body}
        for name, sequence in row._change.column_sequences.items():
            if sequence.epoch == -1:
                assert known.pop(name) is None
        for misfit in row._change.misfits:
            assert known[misfit.column_name] is None
            known[misfit.column_name] = misfit.value
        rows[row.id] = known
    return rows


@pytest.mark.parametrize("table", TABLES)
def test_gold_is_what_the_messages_tell_in_order(histories, table):
    shop, arrived = histories
    assert gold(shop, table) == replayed(arrived[table])


@pytest.mark.parametrize("table", TABLES)
def test_the_history_holds_every_version_once(histories, table):
    shop, arrived = histories
    found = {}
    query = f"select * from gold.histories_{table}_history order by _change.sequence"
    for row in shop.sql(query):
        known = {"amount": row.amount, "note": row.note, "body": row.body}
        known |= {misfit.column_name: misfit.value for misfit in row._change.misfits}
        times = [one and round(one.timestamp() * 1000) for one in (row.valid_from, row.valid_to)]
        assert row.is_current == (times[1] is None)
        found.setdefault(row.id, []).append([known, *times])
    told = versions_told(arrived[table])
    # a value that no message has told is NULL here
    expected = {
        key: [
            [{"amount": None, "note": None, "body": None} | row, *times] for row, *times in versions
        ]
        for key, versions in told.items()
    }
    assert found == expected


def test_the_scripts_of_moved_rows_are_clean(histories):
    shop, _ = histories
    scripts = shop.lint_scripts(f"histories_{table}" for table in TABLES)
    assert all(
        "when matched and not latest._is_deleted and latest._is_rebuilt" in script
        for script in scripts
    )


def test_a_full_refresh_gives_the_same_rows_and_sequences(histories):
    shop, _ = histories
    content = {table: whole(shop, table) for table in TABLES}
    shop.run("--full-refresh", "--select", *(f"histories_{table}" for table in TABLES))
    assert {table: whole(shop, table) for table in TABLES} == content


def whole(shop, table):
    rows = shop.sql(f"select to_json(struct(*)) as row from gold.histories_{table}")
    return sorted(row.row for row in rows)
