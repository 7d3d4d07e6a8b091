"""Records that were lost at the brokers before they were read."""

from dataclasses import dataclass

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from ingestion.bronze.checkpoints import Gap, Identity, Start
from ingestion.bronze.tables import append_rows, read_table, small_table
from ingestion.config.feeds import Config, Feed, Offsets
from ingestion.kafka import brokers
from ingestion.kafka.brokers import NO_ID, Topic

SHOWN_GAPS = 3


@dataclass(frozen=True)
class Source:
    """What the brokers have: the feed's topics, and the offsets that still exist."""

    topics: dict[str, Topic]
    earliest: Offsets
    ends: Offsets


def find_gaps(
    spark: SparkSession,
    feed: Feed,
    source: Source,
    reached: Offsets,
    known: dict[str, Identity],
) -> list[Gap]:
    """Return the records that the feed has not read and the brokers no longer hold."""
    gaps = []
    for topic, partitions in sorted(reached.items()):
        old = known.get(topic, Identity(NO_ID, 0))
        if topic not in source.topics:
            reason = "deleted" if is_deleted(spark, feed, topic) else None
        elif NO_ID not in (old.id, source.topics[topic].id) and old.id != source.topics[topic].id:
            reason = "recreated"
        else:
            gaps += _gaps_inside(source, topic, old.generation, partitions)
            continue
        if reason:
            gaps += [
                Gap(topic, old.generation, partition, offset, None, reason)
                for partition, offset in sorted(partitions.items())
            ]
    return gaps


def _gaps_inside(source: Source, topic: str, generation: int, reached: dict[int, int]) -> list[Gap]:
    gaps = []
    for partition, earliest in sorted(source.earliest[topic].items()):
        offset = reached.get(partition, 0)
        end = source.ends[topic][partition]
        if earliest > offset:
            gaps.append(Gap(topic, generation, partition, offset, earliest, "retention"))
        elif end < offset:
            # A broker came back without its newest records; new ones take their offsets.
            gaps.append(Gap(topic, generation, partition, end, offset, "truncated"))
    return gaps


def find_gaps_of_others(
    spark: SparkSession, config: Config, feed: Feed, source: Source, topics: dict[str, Identity]
) -> list[Gap]:
    """Return what other feeds have landed of topics new to this feed, and the brokers lost since.

    The feed would begin without it, and its tables lack the rows that have not changed since then.
    """
    names = {one.id: topic for topic, one in topics.items() if one.id != NO_ID}
    if not names:
        return []
    first: dict[tuple[str, int], int] = {}
    for reader in small_table(spark, config.bronze, "topics"):
        if reader.feed == feed.name or reader.topic_id not in names:
            continue
        landed = read_table(spark, config.bronze, "messages").where(
            (F.col("feed") == reader.feed)
            & (F.col("topic") == reader.topic)
            & (F.col("topic_generation") == reader.topic_generation)
        )
        for partition, offset in landed.groupBy("partition").agg(F.min("offset")).collect():
            place = (names[reader.topic_id], partition)
            first[place] = min(offset, first.get(place, offset))
    return [
        Gap(topic, topics[topic].generation, partition, offset, earliest, "retention")
        for (topic, partition), offset in sorted(first.items())
        if offset < (earliest := source.earliest[topic][partition])
    ]


def is_deleted(spark: SparkSession, feed: Feed, topic: str) -> bool:
    """Return whether a topic that the brokers do not have would belong to the feed."""
    return feed.topic_pattern is not None and brokers.matches(spark, feed, topic)


def refusal(feed: Feed, gaps: list[Gap]) -> str:
    """Return the sentence that names the gaps and how to go on."""
    parts = [_shown(gap) for gap in gaps[:SHOWN_GAPS]]
    more = f" and {len(gaps) - SHOWN_GAPS} more" if len(gaps) > SHOWN_GAPS else ""
    return (
        f"Feed {feed.name}: records were lost before they were read: {'; '.join(parts)}{more}. "
        f"Nothing was loaded; `python -m ingestion load {feed.name} --accept-gaps` notes the gap "
        "and goes on."
    )


def _shown(gap: Gap) -> str:
    place = f"topic {gap.topic}, partition {gap.partition}"
    if gap.reason == "recreated":
        return f"{place}: the topic was recreated; it was read up to {_last(gap)}"
    if gap.reason == "deleted":
        return f"{place}: the topic was deleted; it was read up to {_last(gap)}"
    last = gap.to_offset - 1 if gap.to_offset else gap.from_offset
    why = "expired at the brokers" if gap.reason == "retention" else "are gone from the brokers"
    return f"{place}: offsets {gap.from_offset} to {last} {why}"


def _last(gap: Gap) -> str:
    return f"offset {gap.from_offset - 1}" if gap.from_offset else "no record of it"


def note_gaps(spark: SparkSession, config: Config, feed: Feed, start: Start) -> None:
    """Add the checkpoint's gaps to bronze's list, unless a killed loader has done so."""
    if not start.gaps:
        return
    there = {
        Gap(
            row.topic,
            row.topic_generation,
            row.partition,
            row.from_offset,
            row.to_offset,
            row.reason,
        )
        for row in small_table(spark, config.bronze, "gaps")
        if row.feed == feed.name
    }
    rows = [(feed.name, *vars(gap).values()) for gap in start.gaps if gap not in there]
    if rows:
        append_rows(spark, config.bronze, "gaps", rows)
