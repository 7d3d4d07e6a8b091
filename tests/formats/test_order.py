"""Random histories: whatever a producer shares, restarts or sends twice, the highest change_sequence of a key is the source's last word."""

import json
import random

import pytest

STREAMS, KEYS, TRANSACTIONS = 60, 4, 12
TABLE = {"db": "d", "schema": "s", "table": "t", "ts_ms": 1, "snapshot": "false"}


def history(dice):
    """Transactions of changes (op, key, row before, row after), and the rows at their end."""
    rows, transactions = {}, []
    for _ in range(TRANSACTIONS):
        changes = []
        for _ in range(dice.randint(1, 6)):
            key = dice.randrange(KEYS)
            before, after = rows.get(key), {"id": key, "v": dice.randrange(1000)}
            op = "c" if before is None else dice.choice("uud")
            rows[key] = None if op == "d" else after
            changes.append((op, key, before, rows[key]))
        transactions.append(changes)
    return transactions, {key: row for key, row in rows.items() if row is not None}


def shared(kind, dice, number, place, change):
    """The source of a change of the nth transaction: what its connector says of the place in the log."""
    commit = 1000 + 10 * number
    lsn = f"0000002a:{commit:08x}:0003"
    return {
        "mariadb": {"connector": "mariadb", "version": "3.4.0.Final", "server_id": 1, "file": "b.000003",
                    "pos": commit, "row": dice.randrange(3)},
        "mysql": {"connector": "mysql", "version": "3.4.0.Final", "server_id": 1, "file": "b.000003",
                  "pos": 100 * commit + place, "row": dice.randrange(3)},
        "mysql_total_order": {"connector": "mysql", "version": "3.7.0.Final", "server_id": 1, "file": "b.000003",
                              "pos": commit, "row": dice.randrange(3)},
        "postgresql": {"connector": "postgresql", "version": "3.4.0.Final",
                       "sequence": json.dumps([str(commit), str(5 * place + dice.randrange(2))])},
        "oracle": {"connector": "oracle", "version": "3.0.0.Final", "commit_scn": str(commit), "scn": str(commit - 9),
                   "ssn": dice.randrange(3)},
        "sqlserver": {"connector": "sqlserver", "version": "3.4.0.Final", "commit_lsn": lsn,
                      "change_lsn": f"0000002a:{dice.randrange(99):08x}:0001", "event_serial_no": dice.randint(1, 2)},
        "mongodb": {"connector": "mongodb", "version": "3.4.0.Final", "collection": "t", "table": None,
                    "ts_ms": 1760000000000 + dice.randrange(4000), "ord": dice.randrange(9)},
    }[kind]  # fmt: skip


KINDS = ("mariadb", "mysql", "mysql_total_order", "postgresql", "oracle", "sqlserver", "mongodb")


def sent(dice, changes):
    """The changes in the order of sending: a connector that starts again repeats them from an earlier one on."""
    order, at = [], 0
    while at < len(changes):
        order.append(changes[at])
        at += 1
        if dice.random() < 0.08:
            at = max(0, at - dice.randint(1, 9))
    return order


def records(kind, stream, dice):
    """What Kafka holds of a history, and the rows at its end."""
    transactions, rows = history(dice)
    changes = [
        (change, shared(kind, dice, number, place, change), place + 1)
        for number, changes in enumerate(transactions)
        for place, change in enumerate(changes)
    ]
    offsets, found = [0, 0, 0], []
    for (op, key, before, after), source, place in sent(dice, changes):
        # only a place in the transaction orders partitions
        partition = dice.randrange(3) if kind == "mysql_total_order" else key % 3
        message = {"before": before, "after": after, "source": TABLE | source, "op": op, "ts_ms": 2}
        if kind == "mysql_total_order":
            message["transaction"] = {"id": "t", "total_order": place}
        if kind == "mongodb":
            message |= {"before": None, "after": after and json.dumps(after)}
        found.append(
            {"topic": f"{kind}-{stream}", "partition": partition, "offset": offsets[partition], "timestamp": 0,
             "headers": [], "key": json.dumps({"id": key}), "value": json.dumps(message, separators=(",", ":")),
             # otherwise a delete of PostgreSQL's key 0 may be of one that was made up
             "feed": {"before_images": "complete"}}
        )  # fmt: skip
        offsets[partition] += 1
    return found, rows


@pytest.mark.parametrize("kind", KINDS)
def test_the_highest_sequence_of_a_key_is_the_last_word_of_the_source(spark, parsed, kind):
    dice = random.Random(f"{kind} 11.4")
    sent_records, truth = [], {}
    for stream in range(STREAMS):
        found, rows = records(kind, stream, dice)
        sent_records += found
        truth[f"{kind}-{stream}"] = rows
    parsed("debezium_json", sent_records).createOrReplaceTempView("histories")
    newest = spark.sql(
        """
        select topic, row_key[0] as key, max_by(after_image, struct(change_sequence, partition)) as row
        from histories
        where operation in ('insert', 'update', 'delete')
        group by topic, row_key[0]
        """
    ).collect()
    assert len(newest) > 3 * STREAMS
    wrong = [
        (one.topic, one.key, one.row)
        for one in newest
        if one.row != written(truth[one.topic].get(int(one.key)))
    ]
    assert wrong == []


def written(row):
    """A row as an image has it."""
    return row and {name: str(value) for name, value in row.items()}


def test_the_row_that_a_commit_of_tidb_leaves_wins_over_its_deletion(spark, parsed):
    """Each UPDATE of a unique key comes as two halves in two partitions, sent again by chance."""
    dice = random.Random(32)
    found, offsets, truth = [], [0, 0], {}
    for stream in range(STREAMS):
        value, halves = 0, []
        for commit in range(1, 8):
            told = [("DELETE", value)] if value else []
            gone = commit == 7 and stream % 2
            if not gone:
                value += 1
                told.append(("INSERT", value))
            halves += [(word, number, commit) for word, number in told]
        truth[stream] = None if gone else value
        for word, number, commit in halves + dice.sample(halves, 3):
            partition = dice.randrange(2)
            message = {
                "id": 0, "database": "shop", "table": f"t{stream}", "pkNames": ["id"], "isDdl": False, "type": word,
                "es": 1, "ts": 1, "sql": "", "sqlType": {"id": -5, "v": 12}, "mysqlType": {"id": "bigint", "v": "varchar"},
                "old": None, "data": [{"id": "1", "v": str(number)}], "_tidb": {"commitTs": commit},
            }  # fmt: skip
            found.append(
                {"topic": "shop", "partition": partition, "offset": offsets[partition], "timestamp": 0, "headers": [],
                 "key": None, "value": json.dumps(message)}
            )  # fmt: skip
            offsets[partition] += dice.randint(1, 50)
    parsed("canal_json_ticdc", found).createOrReplaceTempView("commits")
    newest = spark.sql(
        """
        select table_name, max_by(after_image['v'], struct(change_sequence, partition)) as v
        from commits
        where operation in ('insert', 'delete')
        group by table_name
        """
    ).collect()
    assert {int(one.table_name[1:]): one.v and int(one.v) for one in newest} == truth
