"""The Delta tables of bronze: their columns, how they are made, how rows are added once."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
from py4j.java_gateway import JavaObject
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from ingestion.bronze.storage import exists
from ingestion.config.feeds import Feed

# Kafka's word for a record without a timestamp.
NO_TIMESTAMP = -1
TABLES = {
    # One row per record, or per line of a file that is no record.
    "messages": """
        feed string, format string, topic string, topic_generation int, `partition` int,
        offset bigint, timestamp timestamp, timestamp_type int,
        headers array<struct<key: string, value: binary>>, key binary, value binary,
        load_error string, load_id string, ingested_at timestamp""",
    # What a feed's settings were when its records landed; the latest row counts.
    "feeds": "feed string, settings string, fingerprint string, recorded_at timestamp",
    # Which topic of that name was read; the generation counts up when a topic was recreated.
    "topics": """
        feed string, topic string, topic_id string, topic_generation int, seen_at timestamp""",
    # Gaps that the operator accepted; to_offset is exclusive, NULL: unknown.
    "gaps": """
        feed string, topic string, topic_generation int, `partition` int, from_offset bigint,
        to_offset bigint, reason string, accepted_at timestamp""",
    # One row per file that was loaded to its end.
    "files": """
        feed string, path string, size bigint, sha256 string, lines bigint, bad_lines bigint,
        load_id string, loaded_at timestamp""",
}
PROPERTIES = {
    "delta.appendOnly": "true",
    "delta.enableDeletionVectors": "false",
    # dbt asks by commit version what is new; 90 days is how late it may ask.
    "delta.logRetentionDuration": "interval 90 days",
    "delta.deletedFileRetentionDuration": "interval 90 days",
}
MESSAGES_PROPERTIES = {
    "delta.enableChangeDataFeed": "true",
    "delta.dataSkippingStatsColumns": "feed,topic,topic_generation,partition,offset,"
    "timestamp,load_id,ingested_at",
}


def table_path(bronze: str, table: str) -> str:
    """Return the path of the table."""
    return f"{bronze}/{table}"


def create_tables(spark: SparkSession, bronze: str) -> None:
    """Make the tables that are missing; the others stay as they are."""
    for table, columns in TABLES.items():
        path = table_path(bronze, table)
        if exists(spark, f"{path}/_delta_log"):
            continue
        properties = PROPERTIES | (MESSAGES_PROPERTIES if table == "messages" else {})
        listed = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
        spark.sql(
            f"create table if not exists delta.`{path}` ({columns}) using delta "
            f"tblproperties ({listed})"
        )


def read_table(spark: SparkSession, bronze: str, table: str) -> DataFrame:
    """Return the table as it is now."""
    return spark.read.format("delta").load(table_path(bronze, table))


# Of each small table, by its path: the state in which it was read, and its rows.
_rows_read: dict[str, tuple[tuple[str, int, int], list[Row]]] = {}


def small_table(spark: SparkSession, bronze: str, table: str) -> list[Row]:
    """Return the rows of one of the small tables, which are read once for each state of it."""
    snapshot = _snapshot(spark, bronze, table)
    # one that was created again at its place has another id, one that was put back another time
    state = snapshot.metadata().id(), snapshot.version(), snapshot.timestamp()
    path = table_path(bronze, table)
    if path not in _rows_read or _rows_read[path][0] != state:
        _rows_read[path] = state, read_table(spark, bronze, table).collect()
    return _rows_read[path][1]


def bronze_version(spark: SparkSession, bronze: str) -> int:
    """Return the version of the table of messages, without a Spark job."""
    return int(_snapshot(spark, bronze, "messages").version())


def landed_batches(spark: SparkSession, bronze: str) -> JavaObject:
    """Return the last batch of each application that Delta remembers, as a map of the JVM."""
    return _snapshot(spark, bronze, "messages").transactions()


def _snapshot(spark: SparkSession, bronze: str, table: str) -> JavaObject:
    delta = spark._jvm.org.apache.spark.sql.delta.DeltaLog
    log = delta.forTable(spark._jsparkSession, table_path(bronze, table))
    none = spark._jvm.scala.Option.empty()
    return log.update(False, none, none)


def append_rows(
    spark: SparkSession, bronze: str, table: str, rows: Iterable[tuple[Any, ...]]
) -> None:
    """Add the rows to one of the small tables; their last column is the current time."""
    columns, time = TABLES[table].rsplit(",", 1)
    schema = StructType.fromDDL(columns)
    named = [dict(zip(schema.names, row, strict=True)) for row in rows]
    frame = spark.createDataFrame(pa.Table.from_pylist(named), schema=schema)
    frame = frame.withColumn(time.split()[0], F.current_timestamp())
    frame.coalesce(1).write.format("delta").mode("append").save(table_path(bronze, table))


def new_load_id(feed: str) -> str:
    """Return a name for one load, which sorts by time."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}-{feed}"


def append_messages(
    records: DataFrame, bronze: str, feed: Feed, load_id: str, once: tuple[str, int]
) -> None:
    """Add the records to bronze unless this `once` (application, version) was added before."""
    messages = records.select(
        F.lit(feed.name).alias("feed"),
        F.lit(feed.format).alias("format"),
        F.col("topic"),
        F.col("topic_generation").cast("int"),
        F.col("partition").cast("int"),
        F.col("offset").cast("bigint"),
        F.col("timestamp"),
        F.col("timestamp_type").cast("int"),
        F.col("headers"),
        F.col("key"),
        F.col("value"),
        F.col("load_error"),
        F.lit(load_id).alias("load_id"),
        F.current_timestamp().alias("ingested_at"),
    )
    application, version = once
    (
        messages.write.format("delta")
        .mode("append")
        .option("txnAppId", application)
        .option("txnVersion", version)
        # by which a run of dbt knows this bronze again
        .option("userMetadata", load_id)
        .option("compression", "zstd")
        .save(table_path(bronze, "messages"))
    )
