"""Which topics a feed has read, by id: names can be used again, ids cannot."""

from pyspark.sql import SparkSession

from ingestion.bronze.checkpoints import Identity
from ingestion.bronze.tables import append_rows, small_table
from ingestion.config.feeds import Config, Feed
from ingestion.kafka.brokers import NO_ID, Topic


def known_topics(spark: SparkSession, config: Config, feed: Feed) -> dict[str, Identity]:
    """Return the topics that the feed has read, as they were when it last looked."""
    rows = [row for row in small_table(spark, config.bronze, "topics") if row.feed == feed.name]
    newest = sorted(rows, key=lambda row: row.topic_generation)
    return {row.topic: Identity(row.topic_id, row.topic_generation) for row in newest}


def newest(some: dict[str, Identity], others: dict[str, Identity]) -> dict[str, Identity]:
    """Return the topics of both, in their highest generation."""
    merged = dict(some)
    for topic, identity in others.items():
        if topic not in merged or merged[topic].generation < identity.generation:
            merged[topic] = identity
    return merged


def note_topics(
    spark: SparkSession,
    config: Config,
    feed: Feed,
    known: dict[str, Identity],
    now: dict[str, Identity],
) -> None:
    """Add the topics that are new, or that were recreated, to bronze's list of topics."""
    rows = [
        (feed.name, topic, identity.id, identity.generation)
        for topic, identity in now.items()
        if known.get(topic) != identity
    ]
    if rows:
        append_rows(spark, config.bronze, "topics", rows)


def identities(topics: dict[str, Topic], known: dict[str, Identity]) -> dict[str, Identity]:
    """Return the identities of topics; a name that has another id now is a generation higher."""
    found = {}
    for topic, described in topics.items():
        old = known.get(topic)
        if old is None:
            found[topic] = Identity(described.id, 0)
        elif described.id in (old.id, NO_ID):
            found[topic] = old
        else:
            found[topic] = Identity(described.id, old.generation + (old.id != NO_ID))
    return found
