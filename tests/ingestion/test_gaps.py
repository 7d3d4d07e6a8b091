"""What was lost at the source is refused exactly, accepted exactly, and never doubled."""

import json
import shutil
from pathlib import Path

import pytest

from ingestion.bronze.agreement import NOTHING, agrees_with_bronze
from ingestion.bronze.checkpoints import Start, latest_start, position
from ingestion.config.feeds import read_config
from ingestion.errors import GAP, OK
from tests.ingestion.test_topics import feed, plain, values, wait_for
from tests.support.kafka_broker import KafkaBroker
from tests.support.project import Project

pytestmark = pytest.mark.kafka


def gaps(project: Project) -> list[tuple]:
    names = ("topic", "topic_generation", "partition", "from_offset", "to_offset", "reason")
    return sorted(tuple(row[name] for name in names) for row in project.table("gaps"))


def checkpoint(project: Project, number: int = 1) -> Path:
    return project.folder / "lakehouse/bronze/_checkpoints/shop" / str(number)


def test_expired_records_are_refused_then_noted(project: Project, broker: KafkaBroker):
    topic = broker.create("expired", 2)
    for partition in (0, 1):
        broker.produce(topic, [one | {"partition": partition} for one in values(5)])
    project.configure(feed(topic), broker.servers)
    project.load()
    for partition in (0, 1):
        broker.produce(topic, [one | {"partition": partition} for one in values(5, start=5)])
    broker.expire_before(topic, 1, 8)
    result = project.load()
    assert result.code == GAP
    assert f"topic {topic}, partition 1: offsets 5 to 7 expired at the brokers" in result.err
    assert "--accept-gaps" in result.err
    assert len(result.err.splitlines()) == 1
    assert len(project.messages()) == 10
    assert gaps(project) == []
    assert project.load("--accept-gaps").code == OK
    assert gaps(project) == [(topic, 0, 1, 5, 8, "retention")]
    found = [(row["partition"], row["offset"]) for row in project.messages()]
    assert found == [(0, n) for n in range(10)] + [(1, n) for n in (0, 1, 2, 3, 4, 8, 9)]
    broker.produce(topic, values(4))
    assert project.load("--accept-gaps").code == OK
    assert len(project.messages()) == 21
    assert len(gaps(project)) == 1


def test_recreated_topic_is_refused_then_read_as_a_new_generation(
    project: Project, broker: KafkaBroker
):
    topic, other = broker.create("recreated"), broker.create("recreated_not")
    for name in (topic, other):
        broker.produce(name, values(5))
    project.configure(feed(topic, other), broker.servers)
    project.load()
    broker.delete(topic)
    broker.create(topic, 2)
    # More records than before: offsets alone do not tell that it is another topic.
    broker.produce(topic, values(40))
    broker.produce(other, values(3))
    result = project.load()
    assert result.code == GAP
    assert (
        f"topic {topic}, partition 0: the topic was recreated; it was read up to offset 4"
        in result.err
    )
    assert len(project.messages()) == 10
    assert project.load("--accept-gaps").code == OK
    assert gaps(project) == [(topic, 0, 0, 5, None, "recreated")]
    young = project.messages(topic=topic, topic_generation=1)
    assert plain(young) == plain(broker.consume([topic]))
    assert len(project.messages(topic=topic, topic_generation=0)) == 5
    assert plain(project.messages(topic=other)) == plain(broker.consume([other]))
    generations = {(row["topic"], row["topic_generation"]) for row in project.table("topics")}
    assert generations == {(topic, 0), (topic, 1), (other, 0)}
    assert project.load().out == "shop: nothing new\n"
    broker.produce(topic, values(2))
    assert project.load().code == OK
    assert len(project.messages(topic=topic, topic_generation=1)) == 42


@pytest.mark.long
def test_follower_stops_at_a_recreated_topic(project: Project, broker: KafkaBroker):
    topic = broker.create("recreated_live")
    broker.produce(topic, values(5))
    project.configure(feed(topic), broker.servers)
    with project.following() as codes:
        wait_for(lambda: len(project.messages()) == 5)
        broker.delete(topic)
        broker.create(topic)
        broker.produce(topic, values(9))
        wait_for(lambda: codes)
    assert codes == [GAP]
    assert len(project.messages()) == 5


def test_follower_stops_at_expired_records(project: Project, broker: KafkaBroker):
    topic = broker.create("expired_live")
    broker.produce(topic, values(3))
    project.configure(feed(topic), broker.servers)
    project.load()
    broker.produce(topic, values(3))
    broker.expire_before(topic, 0, 5)
    with project.following() as codes:
        wait_for(lambda: codes)
    assert codes == [GAP]


@pytest.mark.long
def test_deleted_topic_of_a_pattern_is_a_gap(project: Project, broker: KafkaBroker):
    gone, there = broker.create("dropped.a"), broker.create("dropped.b")
    for name in (gone, there):
        broker.produce(name, values(3))
    pattern = {"format": "canal_json", "topic_pattern": r"dropped\..*"}
    project.configure({"shop": pattern}, broker.servers)
    project.load()
    broker.delete(gone)
    result = project.load()
    assert result.code == GAP
    assert (
        f"topic {gone}, partition 0: the topic was deleted; it was read up to offset 2"
        in result.err
    )
    assert project.load("--accept-gaps").code == OK
    assert gaps(project) == [(gone, 0, 0, 3, None, "deleted")]
    broker.create(gone)
    broker.produce(gone, values(2))
    assert project.load().code == OK
    assert len(project.messages(topic=gone, topic_generation=1)) == 2
    assert len(project.messages()) == 8


def test_batch_that_landed_but_was_not_noted_does_not_land_again(
    project: Project, broker: KafkaBroker
):
    """What a kill between Delta's commit and Spark's leaves behind."""
    topic = broker.create("unnoted")
    broker.produce(topic, values(5))
    project.configure(feed(topic), broker.servers)
    project.load()
    broker.produce(topic, values(5))
    project.load()
    shutil.rmtree(checkpoint(project) / "commits")
    assert project.load().code == OK
    assert [row["offset"] for row in project.messages()] == list(range(10))
    # Delta knows the batch by its number: the checkpoint goes on, and another one need not begin
    assert not checkpoint(project, 2).exists()


def test_records_that_expire_after_they_landed_are_no_gap(project: Project, broker: KafkaBroker):
    topic = broker.create("unnoted_expired")
    project.configure(feed(topic), broker.servers)
    for _ in range(2):
        broker.produce(topic, values(5))
        project.load()
    for name in ("1", ".1.crc"):
        (checkpoint(project) / "commits" / name).unlink()
    broker.expire_before(topic, 0, 10)
    config = read_config(project.folder)
    start = latest_start(project.spark, config.bronze, "shop")
    assert position(project.spark, config.bronze, "shop", start) == {topic: {0: 10}}
    broker.produce(topic, values(2))
    assert project.load("--accept-gaps").code == OK
    assert [row["offset"] for row in project.messages()] == list(range(12))
    assert gaps(project) == []


@pytest.mark.long
def test_gap_accepted_by_a_killed_loader_is_noted_once(project: Project, broker: KafkaBroker):
    topic = broker.create("accepted_killed")
    broker.produce(topic, values(3))
    project.configure(feed(topic), broker.servers)
    project.load()
    broker.produce(topic, values(3))
    broker.expire_before(topic, 0, 5)
    empty = project.folder / "gaps_before"
    shutil.copytree(project.folder / "lakehouse/bronze/gaps", empty)
    assert project.load("--accept-gaps").code == OK
    # As if it had been killed after the decision, before anything else.
    shutil.rmtree(project.folder / "lakehouse/bronze/gaps")
    shutil.move(empty, project.folder / "lakehouse/bronze/gaps")
    project.spark.sql("clear cache")
    project.spark._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()
    for _ in range(2):
        assert project.load().code == OK
        assert gaps(project) == [(topic, 0, 0, 3, 5, "retention")]
    assert [row["offset"] for row in project.messages()] == [0, 1, 2, 5]


@pytest.mark.long
def test_checkpoint_says_how_it_began(project: Project, broker: KafkaBroker):
    topic = broker.create("began")
    broker.produce(topic, values(1))
    project.configure(feed(topic), broker.servers)
    project.load()
    start = json.loads(checkpoint(project).with_suffix(".json").read_text())
    assert start["offsets"] == {topic: {"0": 0}}
    assert start["topics"][topic]["generation"] == 0


def test_what_expired_after_another_feed_had_read_it_is_a_gap_of_the_feed_that_reads_it_now(
    project: Project, broker: KafkaBroker
):
    stays, moves, joins = (broker.create(f"moving.{name}") for name in ("stays", "moves", "joins"))
    for topic in (stays, moves, joins):
        broker.produce(topic, values(5))
    shop, late = feed(stays, moves, joins), {"format": "canal_json", "topics": [moves]}
    project.configure(shop, broker.servers)
    project.load()
    broker.expire_before(moves, 0, 4)
    project.configure(feed(stays, joins) | {"late": late}, broker.servers)
    result = project.load("late")
    assert result.code == GAP
    assert f"topic {moves}, partition 0: offsets 0 to 3 expired at the brokers" in result.err
    assert project.load("late", "--accept-gaps").code == OK
    assert gaps(project) == [(moves, 0, 0, 0, 4, "retention")]
    # a feed that has read others already
    broker.expire_before(joins, 0, 2)
    project.configure(feed(stays) | {"late": late | {"topics": [moves, joins]}}, broker.servers)
    assert f"topic {joins}, partition 0: offsets 0 to 1 expired" in project.load("late").err
    assert project.load("late", "--accept-gaps").code == OK
    landed = [(row["topic"], row["offset"]) for row in project.messages(feed="late")]
    assert landed == [(joins, 2), (joins, 3), (joins, 4), (moves, 4)]


@pytest.mark.parametrize(
    ("planned", "noted", "last", "agrees"),
    [
        pytest.param(-1, -1, (1, 4), True, id="it has begun"),
        pytest.param(3, 3, (2, 3), True, id="all has landed"),
        pytest.param(3, 2, (2, 2), True, id="killed before the batch landed"),
        pytest.param(0, -1, (1, 4), True, id="killed before the first batch landed"),
        pytest.param(3, 2, (2, 3), True, id="killed before the batch was noted"),
        pytest.param(3, 3, (2, 4), False, id="the checkpoint is older"),
        pytest.param(3, 3, (3, 0), False, id="the checkpoint is older, and another came after it"),
        pytest.param(3, 3, (2, 2), False, id="bronze is older"),
        pytest.param(3, 1, (2, 1), False, id="bronze is older, and so are the noted batches"),
        pytest.param(3, 3, (1, 4), False, id="bronze is older than the checkpoint's first batch"),
        pytest.param(-1, -1, (1, 3), False, id="bronze is older than the checkpoint"),
        pytest.param(-1, -1, NOTHING, False, id="bronze was made again"),
    ],
)
def test_a_checkpoint_agrees_with_the_batches_that_delta_remembers(
    project: Project, planned: int, noted: int, last: tuple[int, int], agrees: bool
):
    for log, end in (("offsets", planned), ("commits", noted)):
        checkpoint(project, 2).joinpath(log).mkdir(parents=True)
        for number in range(end + 1):
            checkpoint(project, 2).joinpath(log, str(number)).touch()
    bronze = str(project.folder / "lakehouse/bronze")
    start = Start(2, {}, {}, after=(1, 4))
    assert agrees_with_bronze(project.spark, bronze, "shop", start, last) == agrees


def test_a_checkpoint_and_a_bronze_of_different_moments_lose_and_double_nothing(
    project: Project, broker: KafkaBroker
):
    topic = broker.create("moments")
    project.configure(feed(topic), broker.servers)
    bronze = project.folder / "lakehouse/bronze"
    end = 0

    def load() -> str:
        nonlocal end
        broker.produce(topic, values(3, start=end))
        end += 3
        result = project.load()
        assert (result.code, result.err) == (OK, "")
        assert [row["offset"] for row in project.messages()] == list(range(end))
        return result.out

    def put_back(name: str) -> None:
        shutil.rmtree(bronze / name)
        shutil.copytree(project.folder / "copy" / name, bronze / name)
        project.spark._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()

    load()
    shutil.copytree(bronze, project.folder / "copy")
    assert "moments" not in load()
    put_back("_checkpoints")
    assert "its checkpoint and bronze are of different moments" in load()
    put_back("messages")
    assert "its checkpoint and bronze are of different moments" in load()
    shutil.rmtree(bronze / "_checkpoints")
    assert "its checkpoint and bronze are of different moments" in load()
    assert "moments" not in load()
    assert gaps(project) == []
