"""Topics land in bronze: one Spark streaming query per feed, each batch exactly once."""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

from ingestion.bronze.checkpoints import (
    Identity,
    Start,
    application,
    checkpoint_folder,
    end_of_batch,
    position,
)
from ingestion.bronze.tables import NO_TIMESTAMP, append_messages, new_load_id
from ingestion.config.feeds import Config, Feed, Offsets
from ingestion.errors import UserError
from ingestion.kafka import brokers
from ingestion.kafka.consumer_options import consumer_options
from ingestion.kafka.groups import commit_offsets
from ingestion.kafka.offsets import prepare
from ingestion.kafka.topics import identities, note_topics
from ingestion.progress import Batch, Lag, complain, show_batch


@dataclass(frozen=True)
class Loading:
    """A feed's running query, and what its batches share with the main thread."""

    feed: Feed
    start: Start
    query: StreamingQuery
    known: dict[str, Identity]
    landing: threading.Lock
    halted: threading.Event
    failed: list[UserError]
    shown: set[int]


def start_loading(
    spark: SparkSession,
    config: Config,
    feed: Feed,
    prepared: tuple[Start, dict[str, Identity]],
    interval: float | None,
    remark: Callable[[str], None] = complain,
) -> Loading:
    """Start the feed's query; without an interval it ends when it has read what there is now.

    `remark` is called with what is wrong and does not stop the load.
    """
    start, known = prepared
    if feed.group is not None:
        # a loader that was killed may have landed a batch without committing it to the group
        _commit_to_group(spark, feed, position(spark, config.bronze, feed.name, start), remark)
    landing, halted = threading.Lock(), threading.Event()
    failed: list[UserError] = []

    def land(batch: DataFrame, number: int) -> None:
        with landing:
            if halted.is_set():
                # If this returned, Spark would note the batch as landed.
                raise InterruptedError("the loader stops before this batch")
            try:
                _notice_topics(spark, config, feed, known)
            except UserError as error:
                failed.append(error)
                raise
            records = batch.withColumn("topic_generation", _generation(known))
            append_messages(
                records.coalesce(spark.sparkContext.defaultParallelism),
                config.bronze,
                feed,
                load_id=new_load_id(feed.name),
                once=(application(feed.name, start.number), number),
            )
            if feed.group is not None:
                end = end_of_batch(spark, config.bronze, feed.name, start, number)
                _commit_to_group(spark, feed, end, remark)

    once, every = {"availableNow": True}, {"processingTime": f"{interval} seconds"}
    checkpoint = f"{checkpoint_folder(config.bronze, feed.name)}/{start.number}"
    query = (
        _read(spark, feed, start)
        .writeStream.foreachBatch(land)
        .option("checkpointLocation", checkpoint)
        .trigger(**(once if interval is None else every))
        .start()
    )
    return Loading(feed, start, query, known, landing, halted, failed, set())


def _read(spark: SparkSession, feed: Feed, start: Start) -> DataFrame:
    options = consumer_options(feed)
    if feed.topic_pattern is not None:
        options["subscribePattern"] = feed.topic_pattern
    else:
        options["subscribe"] = ",".join(feed.topics)
    if feed.max_offsets_per_trigger is not None:
        options["maxOffsetsPerTrigger"] = str(feed.max_offsets_per_trigger)
    records = (
        spark.readStream.format("kafka")
        .options(**options)
        .option("startingOffsets", json.dumps(start.offsets) if start.offsets else "earliest")
        .option("failOnDataLoss", "true")
        .option("includeHeaders", "true")
        .load()
    )
    without_time = F.col("timestampType") == NO_TIMESTAMP
    landed = records.select(
        "topic",
        "partition",
        "offset",
        F.when(~without_time, F.col("timestamp")).alias("timestamp"),
        F.col("timestampType").alias("timestamp_type"),
        "headers",
        "key",
        "value",
        F.lit(None).cast("string").alias("load_error"),
    )
    size = F.coalesce(F.length("key"), F.lit(0)) + F.coalesce(F.length("value"), F.lit(0))
    return landed.observe("landed", F.sum(size.cast("bigint")).alias("bytes"))


def _notice_topics(
    spark: SparkSession, config: Config, feed: Feed, known: dict[str, Identity]
) -> None:
    """Note new topics; stop before records of a recreated topic land as those of the old one."""
    with brokers.admin_client(spark, feed) as client:
        now = identities(brokers.feed_topics(spark, client, feed), known)
    recreated = [topic for topic in now if topic in known and known[topic] != now[topic]]
    if recreated:
        raise RuntimeError(f"recreated while it was read: {', '.join(recreated)}")
    note_topics(spark, config, feed, known, now)
    known.update(now)


def _generation(topics: dict[str, Identity]) -> Column:
    """Return the topic's generation as a column: 0 unless the topic was recreated."""
    younger = {topic: known.generation for topic, known in topics.items() if known.generation}
    generation = F.lit(0)
    for topic, number in younger.items():
        generation = F.when(F.col("topic") == topic, F.lit(number)).otherwise(generation)
    return generation


def _commit_to_group(
    spark: SparkSession, feed: Feed, offsets: Offsets, remark: Callable[[str], None]
) -> None:
    """Commit to the feed's group how far bronze has come; if that fails, the load goes on."""
    try:
        commit_offsets(spark, feed, offsets)
    except UserError as error:
        remark(str(error))


def new_batches(loading: Loading) -> list[Batch]:
    """Return the batches that ended since the last call."""
    batches = []
    for text in loading.query._jsq.recentProgress():
        progress = json.loads(text.json())
        if progress["batchId"] in loading.shown or progress["numInputRows"] == 0:
            continue
        loading.shown.add(progress["batchId"])
        batches.append(
            Batch(
                loading.feed.name,
                progress["numInputRows"],
                progress.get("observedMetrics", {}).get("landed", {}).get("bytes") or 0,
                progress["durationMs"].get("triggerExecution", 0) / 1000,
                _lag(progress["sources"][0]),
            )
        )
    return batches


def show_progress(loading: Loading) -> None:
    """Print a line for every batch that ended since the last call."""
    for batch in new_batches(loading):
        show_batch(batch)


def _lag(source: dict[str, Any]) -> Lag:
    """Return the number of offsets between what was read and what there is."""
    read, latest = source.get("endOffset") or {}, source.get("latestOffset") or {}
    return {
        topic: {
            int(partition): max(0, offset - read.get(topic, {}).get(partition, 0))
            for partition, offset in partitions.items()
        }
        for topic, partitions in latest.items()
    }


def stop_loading(loading: Loading) -> None:
    """Stop the query between two batches."""
    with loading.landing:
        loading.halted.set()
    loading.query.stop()


def failure(spark: SparkSession, config: Config, loading: Loading) -> UserError | None:
    """Return why the query ended, or None if it has read everything or can go on at once."""
    failed = loading.query._jsq.exception()
    if failed.isEmpty():
        return None
    try:
        again, known = prepare(spark, config, loading.feed, accept_gaps=False)
    except UserError as error:
        return error
    if again != loading.start or known != loading.known:
        return None
    if loading.failed:
        return loading.failed[0]
    return brokers.explain_load(spark, loading.feed, failed.get())
