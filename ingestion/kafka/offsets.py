"""Before a load: whether every unread record still exists, and where reading goes on."""

from py4j.java_gateway import JavaObject
from pyspark.sql import SparkSession

from ingestion.bronze.agreement import NOTHING, agrees_with_bronze, held_offsets, last_landed
from ingestion.bronze.checkpoints import (
    Gap,
    Identity,
    Start,
    is_untouched,
    latest_start,
    noted_position,
    position,
    write_start,
)
from ingestion.config.feeds import Config, Feed, Offsets
from ingestion.errors import CONFIGURATION, GAP, UserError
from ingestion.kafka import brokers
from ingestion.kafka.brokers import Topic
from ingestion.kafka.gaps import (
    Source,
    find_gaps,
    find_gaps_of_others,
    is_deleted,
    note_gaps,
    refusal,
)
from ingestion.kafka.lag import note_ends
from ingestion.kafka.topics import identities, known_topics, newest, note_topics
from ingestion.progress import say


def prepare(
    spark: SparkSession, config: Config, feed: Feed, accept_gaps: bool
) -> tuple[Start, dict[str, Identity]]:
    """Return the checkpoint to go on with, and the feed's topics; refuse gaps unless accepted."""
    with brokers.admin_client(spark, feed) as client:
        topics = brokers.feed_topics(spark, client, feed)
        _refuse_claimed(spark, config, feed, topics)
        source = Source(
            topics,
            brokers.earliest_offsets(spark, client, feed, topics),
            brokers.latest_offsets(spark, client, feed, topics, committed=False),
        )
        note_ends(config, feed.name, source.ends)
        before = latest_start(spark, config.bronze, feed.name)
        known = known_topics(spark, config, feed)
        last = last_landed(spark, config.bronze, feed.name)
        if before is None and last == NOTHING:
            offsets = _first_offsets(spark, client, feed, source)
            start = _begin(spark, config, feed, source, offsets, known, accept_gaps)
        else:
            so_far = before or Start(0, {}, {})
            start = _go_on(spark, config, feed, source, so_far, known, last, accept_gaps)
    if start != before:
        write_start(spark, config.bronze, feed.name, start)
    note_gaps(spark, config, feed, start)
    now = newest(known, start.topics)
    now |= identities(topics, now)
    note_topics(spark, config, feed, known, now)
    return start, now


def _begin(
    spark: SparkSession,
    config: Config,
    feed: Feed,
    source: Source,
    offsets: Offsets,
    known: dict[str, Identity],
    accept_gaps: bool,
) -> Start:
    topics = identities(source.topics, known)
    new = {} if feed.starting_offsets == "latest" else _unless_asked(feed, topics)
    gaps = find_gaps_of_others(spark, config, feed, source, new)
    if gaps and not accept_gaps:
        raise UserError(refusal(feed, gaps), GAP)
    return Start(1, offsets, topics, gaps=tuple(gaps), after=NOTHING)


def _go_on(
    spark: SparkSession,
    config: Config,
    feed: Feed,
    source: Source,
    before: Start,
    known: dict[str, Identity],
    last: tuple[int, int],
    accept_gaps: bool,
) -> Start:
    known = newest(known, before.topics)
    agrees = agrees_with_bronze(spark, config.bronze, feed.name, before, last)
    if agrees:
        read = position(spark, config.bronze, feed.name, before)
    else:
        # Spark would go on with batches that Delta has had by these numbers, or after others
        held = identities(source.topics, {}) | known
        read = held_offsets(spark, config.bronze, feed.name, held)
    parked = {
        topic: offsets
        for topic, offsets in (before.parked | read).items()
        if topic not in source.topics and not is_deleted(spark, feed, topic)
    }
    reached = before.parked | read
    topics = identities(source.topics, known)
    new = {topic: one for topic, one in topics.items() if topic not in reached}
    gaps = find_gaps(spark, feed, source, reached, known)
    gaps += find_gaps_of_others(spark, config, feed, source, _unless_asked(feed, new))
    if gaps and not accept_gaps:
        raise UserError(refusal(feed, gaps), GAP)
    for gap in gaps:
        if gap.reason == "truncated":
            identity = Identity(known[gap.topic].id, known[gap.topic].generation + 1)
            topics[gap.topic] = identity
    offsets = _next_offsets(feed, source, reached, gaps)
    unexpected = {
        topic
        for topic, partitions in offsets.items()
        if topic not in read and any(partitions.values())
    }
    # Spark accepts starting offsets only if they have every partition there is.
    unready = is_untouched(spark, config.bronze, feed.name, before) and (
        {topic: set(partitions) for topic, partitions in offsets.items()}
        != {topic: set(partitions) for topic, partitions in before.offsets.items()}
    )
    # Spark would read a batch that has landed again, and fail if its records are gone.
    noted = noted_position(spark, config.bronze, feed.name, before)
    unreadable = any(
        first > noted.get(topic, {}).get(partition, first)
        for topic, partitions in source.earliest.items()
        for partition, first in partitions.items()
    )
    if not agrees:
        say(
            f"{feed.name}: its checkpoint and bronze are of different moments, as after a copy was "
            "put back: reading goes on after what bronze holds"
        )
    elif not (gaps or set(read) - set(offsets) or unexpected or unready or unreadable):
        return before
    number = max(before.number, last[0]) + 1
    return Start(number, offsets, known | topics, parked, tuple(gaps), last)


def _next_offsets(feed: Feed, source: Source, reached: Offsets, gaps: list[Gap]) -> Offsets:
    """Return where each partition goes on: where it was, after its gap, or at its beginning."""
    again = {gap.topic for gap in gaps if gap.reason == "recreated"}
    asked = _asked(feed)
    offsets: Offsets = {}
    for topic, earliest in source.earliest.items():
        old = {} if topic in again else reached.get(topic, {})
        fresh = asked.get(topic, {}) if topic not in reached else {}
        offsets[topic] = {
            p: old.get(p, max(first, fresh.get(p, 0))) for p, first in earliest.items()
        }
    for gap in gaps:
        if gap.reason in ("retention", "truncated"):
            offsets[gap.topic][gap.partition] = (
                gap.to_offset if gap.reason == "retention" else gap.from_offset
            )
    return offsets


def _asked(feed: Feed) -> Offsets:
    return feed.starting_offsets if isinstance(feed.starting_offsets, dict) else {}


def _unless_asked(feed: Feed, topics: dict[str, Identity]) -> dict[str, Identity]:
    return {topic: one for topic, one in topics.items() if topic not in _asked(feed)}


def _first_offsets(spark: SparkSession, client: JavaObject, feed: Feed, source: Source) -> Offsets:
    if feed.starting_offsets == "latest":
        committed = feed.kafka.get("isolation.level") != "read_uncommitted"
        return brokers.latest_offsets(spark, client, feed, source.topics, committed)
    offsets = {topic: dict(partitions) for topic, partitions in source.earliest.items()}
    for topic, partitions in _asked(feed).items():
        for partition, offset in partitions.items():
            if partition not in offsets.get(topic, {}):
                raise UserError(
                    f"Feed {feed.name}: starting_offsets names {topic}, partition {partition}, "
                    "which does not exist: correct it."
                )
            first, end = source.earliest[topic][partition], source.ends[topic][partition]
            if not first <= offset <= end:
                raise UserError(
                    f"Feed {feed.name}: starting_offsets says {offset} for {topic}, partition "
                    f"{partition}, but the brokers hold {first} to {end}: correct it."
                )
            offsets[topic][partition] = offset
    return offsets


def _refuse_claimed(
    spark: SparkSession, config: Config, feed: Feed, topics: dict[str, Topic]
) -> None:
    for other in config.feeds.values():
        same_brokers = other.kafka.get("bootstrap.servers") == feed.kafka["bootstrap.servers"]
        if other.name == feed.name or other.files or not same_brokers:
            continue
        for topic in topics:
            pattern = other.topic_pattern
            if topic in other.topics or (pattern and brokers.matches(spark, other, topic)):
                raise UserError(
                    f"Feeds {feed.name} and {other.name} both read the topic {topic}: make "
                    "topics or topic_pattern narrower, so that one of them reads it.",
                    CONFIGURATION,
                )
