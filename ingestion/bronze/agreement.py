"""Whether a feed's checkpoint and bronze are of one moment, and where to go on if they are not.

They are not where one of them is a copy that was made or put back by itself, or was removed.
"""

import re

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from ingestion.bronze.checkpoints import (
    Identity,
    Start,
    batches,
    noted_batch,
    read_start,
    start_numbers,
)
from ingestion.bronze.tables import landed_batches, read_table
from ingestion.config.feeds import Offsets

# What Delta remembers of a feed that has landed nothing: before the first checkpoint, no batch.
NOTHING = (0, -1)


def last_landed(spark: SparkSession, bronze: str, feed: str) -> tuple[int, int]:
    """Return the last batch that Delta remembers: its checkpoint and its number, or NOTHING."""
    loads = landed_batches(spark, bronze).mkString("\n")
    found = re.findall(rf"^kafka/{feed}/(\d+) -> (\d+)$", loads, re.MULTILINE)
    return max(((int(number), int(batch)) for number, batch in found), default=NOTHING)


def agrees_with_bronze(
    spark: SparkSession, bronze: str, feed: str, start: Start, last: tuple[int, int]
) -> bool:
    """Return whether the last batch that Delta remembers is one that the checkpoint has reached.

    The batch that was planned last may not have landed: Spark repeats it after a kill.
    """
    number, batch = last
    if number != start.number:
        if number > start.number or start.after not in (None, last):
            return False
        batch = -1
    planned = max(batches(spark, bronze, feed, start, "offsets"), default=-1)
    return max(noted_batch(spark, bronze, feed, start), planned - 1) <= batch <= planned


def held_offsets(
    spark: SparkSession, bronze: str, feed: str, topics: dict[str, Identity]
) -> Offsets:
    """Return the offset after the last one that bronze itself holds of each partition.

    Where it holds none, it is the offset at which the feed began to read the partition.
    """
    generations = {topic: identity.generation for topic, identity in topics.items()}
    offsets: Offsets = {}
    for number in start_numbers(spark, bronze, feed):
        start = read_start(spark, bronze, feed, number)
        for topic, partitions in start.offsets.items():
            if start.topics[topic].generation == generations.get(topic):
                offsets[topic] = partitions | offsets.get(topic, {})
    messages = read_table(spark, bronze, "messages").where(F.col("feed") == feed)
    ends = messages.groupBy("topic", "topic_generation", "partition").agg(F.max("offset"))
    for topic, generation, partition, last in ends.collect():
        if generation == generations.get(topic):
            offsets.setdefault(topic, {})[partition] = last + 1
    return offsets
