"""What the broker holds lands byte for byte, once, whatever happens to topics and brokers."""

import json
import threading
import time

import pytest
from confluent_kafka import Consumer

from ingestion.errors import CONFIGURATION, OK, SOURCE, UNEXPECTED
from tests.support.kafka_broker import KafkaBroker
from tests.support.project import Project

pytestmark = pytest.mark.kafka

FIELDS = (
    "topic", "partition", "offset", "timestamp", "timestamp_type", "headers", "key", "value"
)  # fmt: skip


def plain(rows: list[dict]) -> list[tuple]:
    return [tuple(row[name] for name in FIELDS) for row in rows]


def values(count: int, start: int = 0) -> list[dict]:
    return [{"key": b"k%d" % n, "value": b"v%d" % n} for n in range(start, start + count)]


def feed(*topics: str, **settings: object) -> dict:
    return {"shop": {"format": "canal_json", "topics": list(topics)} | settings}


def wait_for(claim, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not claim():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.1)


ODD = [
    {"key": None, "value": b"null key"},
    {"key": b"null value", "value": None},
    {"key": b"", "value": b""},
    {"key": b"\xff\x00", "value": bytes(range(256))},
    {"value": "é\u2028\U0001f600".encode(), "timestamp": 1},
    {"value": b"h", "headers": [("a", b"1"), ("a", None), ("b", b"\xfe"), ("c", b"")]},
    {"key": b"large", "value": b"\xfe" * 8_000_000},
]


def test_every_record_is_what_a_consumer_gets(project: Project, broker: KafkaBroker):
    topic = broker.create("odd", 2)
    stamped = broker.create("odd_stamped", message_timestamp_type="LogAppendTime")
    for name in (topic, stamped):
        broker.produce(name, ODD)
    project.configure(feed(topic, stamped), broker.servers)
    result = project.load()
    assert (result.code, result.err) == (OK, "")
    assert result.out.startswith("shop: 14 records, 16.0 MB, ")
    assert result.out.endswith(" 0 behind\n")
    expected = broker.consume([topic, stamped])
    assert len(expected) == 14
    assert plain(project.messages()) == plain(expected)
    assert {row["timestamp_type"] for row in expected} == {0, 1}


def test_captured_files_and_topics_give_the_same_bronze(project: Project, broker: KafkaBroker):
    topic = broker.create("captured", 2)
    text = [{"key": "k", "value": "é", "headers": [("h", "x"), ("h", None)]}, {"value": None}]
    broker.produce(topic, text + values(20))
    lines = [
        row
        | {name: row[name] and row[name].decode() for name in ("key", "value")}
        | {"headers": [(key, value and value.decode()) for key, value in row["headers"] or []]}
        for row in broker.consume([topic])
    ]  # fmt: skip
    (project.folder / "in.jsonl").write_text("\n".join(json.dumps(line) for line in lines))
    from_file = {"format": "canal_json", "files": "in.jsonl"}
    project.configure(feed(topic) | {"captured": from_file}, broker.servers)
    assert project.load().code == OK
    ours = ("feed", "load_id", "ingested_at")
    topics, files = (
        [{key: value for key, value in row.items() if key not in ours} for row in rows]
        for rows in (project.messages(feed="shop"), project.messages(feed="captured"))
    )
    assert topics == files
    assert len(topics) == 22


def test_second_load_adds_only_what_is_new(project: Project, broker: KafkaBroker):
    topic = broker.create("again")
    broker.produce(topic, values(10))
    project.configure(feed(topic), broker.servers)
    project.load()
    assert project.load().out == "shop: nothing new\n"
    broker.produce(topic, values(5))
    project.load()
    assert [row["offset"] for row in project.messages()] == list(range(15))
    loads = [row["load_id"] for row in project.messages()]
    assert loads == sorted(loads)
    assert len(set(loads)) == 2


def test_aborted_records_do_not_land_and_their_offsets_are_no_gap(
    project: Project, broker: KafkaBroker
):
    topic = broker.create("transactions")
    for number, abort in enumerate((False, True, False, True)):
        with broker.transaction("t", abort) as producer:
            for _ in range(3):
                producer.produce(topic, value=f"{number}")
    project.configure(feed(topic), broker.servers)
    assert project.load().code == OK
    assert [row["value"] for row in project.messages()] == [b"0"] * 3 + [b"2"] * 3
    broker.produce(topic, values(1))
    assert project.load().code == OK
    assert plain(project.messages()) == plain(broker.consume([topic]))


@pytest.mark.long
def test_read_uncommitted_is_the_feeds_choice(project: Project, broker: KafkaBroker):
    topic = broker.create("uncommitted")
    with broker.transaction("u", abort=True) as producer:
        producer.produce(topic, value="aborted")
    options = {"isolation.level": "read_uncommitted"}
    project.configure(feed(topic, kafka=options), broker.servers)
    project.load()
    assert [row["value"] for row in project.messages()] == [b"aborted"]


def test_the_group_of_a_feed_shows_what_has_landed_and_decides_nothing(
    project: Project, broker: KafkaBroker
):
    topic = broker.create("grouped", 2)
    broker.produce(topic, [one | {"partition": 0} for one in values(7)])
    broker.produce(topic, [one | {"partition": 1} for one in values(4)])
    project.configure(feed(topic, group="our lag", max_offsets_per_trigger=5), broker.servers)
    assert project.load().err == ""
    assert broker.committed("our lag", topic) == {0: 7, 1: 4}
    # as after a loader that was killed between bronze and the group; and as no reader may take it
    broker.commit("our lag", topic, 2)
    assert project.load().out == "shop: nothing new\n"
    assert broker.committed("our lag", topic) == {0: 7, 1: 4}
    assert len(project.messages()) == 11


def test_a_group_with_members_is_told_and_the_records_land(project: Project, broker: KafkaBroker):
    topic = broker.create("claimed")
    broker.produce(topic, values(3))
    member = Consumer(broker.client | {"group.id": "theirs"})
    member.subscribe([topic])
    wait_for(lambda: member.poll(0.2) is None and member.assignment())
    project.configure(feed(topic, group="theirs"), broker.servers)
    result = project.load()
    member.close()
    assert result.code == OK
    assert "not committed to the group theirs: consumers are members of it" in result.err
    assert len(project.messages()) == 3


@pytest.mark.long
def test_compacted_topic_lands_with_its_holes(project: Project, broker: KafkaBroker):
    topic = broker.create(
        "compacted",
        cleanup_policy="compact",
        segment_bytes="1048576",
        min_cleanable_dirty_ratio="0.01",
        max_compaction_lag_ms="500",
    )
    # more than a segment each: the cleaner leaves the one that is written to alone
    for _ in range(4):
        broker.produce(topic, [{"key": b"%d" % (n % 5), "value": b"x" * 30_000} for n in range(50)])
    broker.produce(topic, values(1))
    wait_for(lambda: len(broker.consume([topic])) < 150)
    project.configure(feed(topic, max_offsets_per_trigger=60), broker.servers)
    assert project.load().code == OK
    landed = project.messages()
    remaining = {row["offset"] for row in broker.consume([topic])}
    assert remaining <= {row["offset"] for row in landed}
    assert len(landed) < 201


@pytest.mark.long
def test_new_partitions_and_topics_land_from_their_beginning(project: Project, broker: KafkaBroker):
    topic = broker.create("growing")
    broker.produce(topic, values(3))
    pattern = {"format": "canal_json", "topic_pattern": r"fam\..*"}
    project.configure(feed(topic) | {"family": pattern}, broker.servers)
    first = project.load()
    assert first.code == OK
    assert "family: no topic matches" in first.out
    broker.add_partitions(topic, 3)
    names = [broker.create(f"fam.{name}") for name in ("a", "b")]
    later = broker.create("later")
    broker.produce(later, values(5))
    broker.expire_before(later, 0, 2)
    for name in (topic, *names):
        broker.produce(name, values(20))
    project.configure(feed(topic, later) | {"family": pattern}, broker.servers)
    assert project.load().code == OK
    assert plain(project.messages()) == plain(broker.consume([topic, later, *names]))


@pytest.mark.long
def test_follower_finds_new_partitions_and_topics(project: Project, broker: KafkaBroker):
    topic = broker.create("follow.one")
    listed = broker.create("followed")
    broker.produce(topic, values(3))
    pattern = {"format": "canal_json", "topic_pattern": r"follow\..*"}
    project.configure(feed(listed) | {"family": pattern}, broker.servers)
    with project.following() as codes:
        wait_for(lambda: len(project.messages()) == 3)
        broker.add_partitions(listed, 2)
        two = broker.create("follow.two")
        for name in (listed, topic, two):
            broker.produce(name, values(20))
        wait_for(lambda: len(project.messages()) >= 63)
    assert codes == [OK]
    assert plain(project.messages()) == plain(broker.consume([listed, topic, two]))
    assert {row["topic"] for row in project.table("topics")} == {listed, topic, two}


@pytest.mark.long
def test_a_topic_that_leaves_and_comes_back_goes_on_where_it_was(
    project: Project, broker: KafkaBroker
):
    stays, leaves = broker.create("stays"), broker.create("leaves")
    for name in (stays, leaves):
        broker.produce(name, values(4))
    for topics in ((stays, leaves), (stays,), (leaves, stays)):
        project.configure(feed(*topics), broker.servers)
        assert project.load().code == OK
        for name in (stays, leaves):
            broker.produce(name, values(2))
    assert project.load().code == OK
    assert plain(project.messages()) == plain(broker.consume([stays, leaves]))


@pytest.mark.long
@pytest.mark.parametrize("kind", [pytest.param("latest", marks=pytest.mark.long), "mapping"])
def test_starting_offsets_decide_where_the_first_load_begins(
    project: Project, broker: KafkaBroker, kind: str
):
    topic = broker.create(f"starting_{kind}", 2)
    for partition in (0, 1):
        broker.produce(topic, [one | {"partition": partition} for one in values(10)])
    asked = "latest" if kind == "latest" else {topic: {0: 7}}
    project.configure(feed(topic, starting_offsets=asked), broker.servers)
    assert project.load().code == OK
    broker.produce(topic, [{"partition": 0, "value": b"new"}])
    assert project.load().code == OK
    found = [(row["partition"], row["offset"]) for row in project.messages()]
    if kind == "latest":
        assert found == [(0, 10)]
    else:
        assert found == [(0, 7), (0, 8), (0, 9), (0, 10)] + [(1, n) for n in range(10)]


def test_starting_offsets_that_do_not_exist_are_refused(project: Project, broker: KafkaBroker):
    topic = broker.create("starting_wrong")
    project.configure(feed(topic, starting_offsets={topic: {3: 1}}), broker.servers)
    result = project.load()
    assert result.code == CONFIGURATION
    assert "partition 3, which does not exist" in result.err
    project.configure(feed(topic, starting_offsets={topic: {0: 9}}), broker.servers)
    assert "the brokers hold 0 to 0" in project.load().err


def test_max_offsets_per_trigger_bounds_the_batches(project: Project, broker: KafkaBroker):
    topic = broker.create("bounded")
    broker.produce(topic, values(30))
    project.configure(feed(topic, max_offsets_per_trigger=10), broker.servers)
    result = project.load()
    assert [line.split(",")[0] for line in result.out.splitlines()] == ["shop: 10 records"] * 3
    assert [line.rsplit(", ")[-1] for line in result.out.splitlines()] == [
        "20 behind",
        "10 behind",
        "0 behind",
    ]
    assert len(project.messages()) == 30


def test_a_timestamp_that_spark_cannot_read_is_named_with_its_record(
    project: Project, broker: KafkaBroker
):
    topic = broker.create("nanoseconds", message_timestamp_after_max_ms=str(2**63 - 1))
    broker.produce(topic, [*values(1), {"timestamp": 1_795_238_317_000_000_000, "value": b""}])
    broker.produce(topic, values(1))
    project.configure(feed(topic, max_offsets_per_trigger=1), broker.servers)
    result = project.load()
    assert result.code == UNEXPECTED
    assert f"read the timestamp at topic {topic}, partition 0, offset 1, which" in result.err
    assert len(result.err.splitlines()) == 1
    # the way on that docs/feeds.md shows
    broker.expire_before(topic, 0, 2)
    assert project.load("--accept-gaps").code == OK
    assert [row["offset"] for row in project.messages()] == [0, 2]


@pytest.mark.long
def test_broker_restart_in_the_middle_of_a_load_loses_nothing(
    project: Project, broker: KafkaBroker
):
    topic = broker.create("restarted", 2)
    broker.produce(topic, values(3000))
    project.configure(feed(topic, max_offsets_per_trigger=600), broker.servers)
    results = []
    thread = threading.Thread(target=lambda: results.append(project.load_unattended()))
    thread.start()
    wait_for(lambda: (project.folder / "lakehouse/bronze/_checkpoints/shop/1/commits/0").exists())
    broker.restart(kill=True)
    thread.join(120)
    assert results == [OK]
    assert plain(project.messages()) == plain(broker.consume([topic]))


def test_two_feeds_that_match_one_topic_are_refused(project: Project, broker: KafkaBroker):
    topic = broker.create("claimed.orders")
    pattern = {"format": "canal_json", "topic_pattern": r"claimed\..*"}
    project.configure(feed(topic) | {"family": pattern}, broker.servers)
    result = project.load()
    assert result.code == CONFIGURATION
    assert f"Feeds shop and family both read the topic {topic}" in result.err
    assert project.messages() == []


def test_missing_topic_is_named(project: Project, broker: KafkaBroker):
    project.configure(feed("no_such_topic"), broker.servers)
    result = project.load()
    assert result.code == SOURCE
    assert result.err.splitlines() == [
        f"Feed shop: the brokers at {broker.servers} have no topic no_such_topic: "
        "create it or correct topics."
    ]


def test_pattern_that_is_none_is_refused(project: Project, broker: KafkaBroker):
    project.configure({"shop": {"format": "canal_json", "topic_pattern": "a("}}, broker.servers)
    result = project.load()
    assert result.code == CONFIGURATION
    assert "topic_pattern is not a regular expression" in result.err


@pytest.mark.parametrize(
    "servers",
    ["127.0.0.1:1", pytest.param("no-such-host.invalid:9092", marks=pytest.mark.long)],
)
def test_unreachable_broker_is_told_within_30_seconds(project: Project, servers: str):
    project.configure(feed("orders"), servers)
    started = time.monotonic()
    result = project.load()
    assert time.monotonic() - started < 30
    assert result.code == SOURCE
    assert f"Feed shop: no broker answers at {servers}" in result.err
    assert len(result.err.splitlines()) == 1
