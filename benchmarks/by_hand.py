"""What one would write by hand for one table of Canal messages, in PySpark, trusting every message.

All jobs read raw records from Parquet and write new Delta tables; `kinds` are the table's columns.
"""

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

MESSAGE = """
    type string, es bigint, ts bigint, database string, `table` string, pkNames array<string>,
    mysqlType string, data array<map<string, string>>, old array<map<string, string>>
"""
# silver's contract
CHANGE = {
    "feed": "feed",
    "topic": "topic",
    "topic_generation": "topic_generation",
    "partition": "partition",
    "offset": "offset",
    "row_index": "2 * image_index",
    "message_timestamp": "timestamp",
    "load_id": "load_id",
    "bronze_version": "1L",
    "parser_version": "1",
    "operation": "lower(m.type)",
    "source_operation": "m.type",
    "error": "cast(null as string)",
    "source_type": "'mysql'",
    "catalog_name": "cast(null as string)",
    "database_name": "m.database",
    "schema_name": "cast(null as string)",
    "table_name": "m.table",
    "key_columns": "m.pkNames",
    "row_key": "transform(m.pkNames, name -> image[name])",
    "previous_row_key": "cast(null as array<string>)",
    "before_image": """case m.type
        when 'UPDATE' then m.old[image_index]
        when 'DELETE' then image
    end""",
    "after_image": "case when m.type <> 'DELETE' then image end",
    "is_before_complete": "m.type <> 'INSERT'",
    "is_after_complete": "m.type <> 'DELETE'",
    "before_unavailable": "cast(array() as array<string>)",
    "after_unavailable": "cast(array() as array<string>)",
    "schema_id": "md5(m.mysqlType)",
    "schema_text": "m.mysqlType",
    "changed_at": "timestamp_millis(m.es)",
    "captured_at": "timestamp_millis(m.ts)",
    "transaction_id": "cast(null as string)",
    "change_sequence": """named_struct(
        'phase', 1, 'position', cast(array() as array<decimal(38, 0)>), 'offset', offset,
        'row_index', 2 * image_index
    )""",
    "order_scope": "'offset'",
    "position_space": "cast(null as string)",
    "snapshot_mark": "cast(null as string)",
    "ddl": "cast(null as string)",
    "ddl_kind": "cast(null as string)",
}
# gold's own column
CHANGE_OF_ROW = """named_struct(
    'row_key', row_key,
    'sequence', named_struct(
        'epoch', 0, 'phase', sequence.phase, 'position', sequence.position,
        'offset', sequence.offset, 'row_index', sequence.row_index, 'partition', r.partition
    ),
    'column_sequences', cast(map() as map<string, struct<
        epoch: int, phase: int, position: array<decimal(38, 0)>, offset: bigint, row_index: int,
        partition: int
    >>),
    'topic', r.topic,
    'partition', r.partition,
    'changed_at', r.changed_at,
    'misfits', cast(array() as array<struct<
        column_name: string, value: string, wanted_type: string, topic: string, partition: int
    >>)
) as _change"""


def same_tables(spark: SparkSession, raw: str, folder: Path, kinds: dict[str, str]) -> None:
    """Write bronze, silver and gold as the project has them, without looking for errors."""
    landed = spark.read.parquet(raw).selectExpr("'bench' as feed", "*", "'000' as load_id")
    bronze = write(landed, folder / "same_bronze", compression="zstd")
    message = F.from_json(F.col("value").cast("string"), MESSAGE).alias("m")
    rows = bronze.select("*", message).selectExpr("*", "posexplode(m.data) as (image_index, image)")
    change = [f"{text} as {name}" for name, text in CHANGE.items()]
    silver = write(rows.selectExpr(*change), folder / "same_silver")
    newest = silver.groupBy("row_key").agg(
        F.max("change_sequence").alias("sequence"),
        F.max_by(
            F.struct("operation", "after_image", "topic", "partition", "changed_at"),
            "change_sequence",
        ).alias("r"),
    )
    columns = [f"cast(r.after_image['{name}'] as {kind}) as {name}" for name, kind in kinds.items()]
    live = newest.where("r.operation <> 'delete'")
    write(live.selectExpr(*columns, CHANGE_OF_ROW), folder / "same_gold")


def lean_tables(spark: SparkSession, raw: str, folder: Path, kinds: dict[str, str]) -> None:
    """Write raw, parsed and current rows, as a job that knows the columns of its one table does."""
    bronze = write(spark.read.parquet(raw), folder / "bronze")
    silver = write(parsed(bronze, kinds), folder / "silver")
    write(latest(silver, kinds), folder / "gold")


def one_pass(spark: SparkSession, raw: str, folder: Path, kinds: dict[str, str]) -> None:
    """Write the current rows straight from the raw records."""
    write(latest(parsed(spark.read.parquet(raw), kinds), kinds), folder / "one_pass")


def parsed(raw: DataFrame, kinds: dict[str, str]) -> DataFrame:
    """Return a row per changed row, its values as text in a struct."""
    fields = ", ".join(f"{name}: string" for name in kinds)
    schema = f"type string, es bigint, ts bigint, `table` string, data array<struct<{fields}>>"
    read = raw.select("*", F.from_json(F.col("value").cast("string"), schema).alias("m"))
    return read.select(
        "topic",
        "partition",
        "offset",
        "timestamp",
        "m.type",
        "m.es",
        F.explode("m.data").alias("r"),
    )


def latest(changes: DataFrame, kinds: dict[str, str]) -> DataFrame:
    """Return the newest row of each key, typed, without deleted ones."""
    window = Window.partitionBy("r.id").orderBy(F.col("offset").desc())
    newest = changes.withColumn("n", F.row_number().over(window)).where("n = 1")
    typed = [F.col(f"r.{name}").cast(kind).alias(name) for name, kind in kinds.items()]
    return newest.where("type <> 'DELETE'").select(*typed, "topic", "partition", "offset")


def write(frame: DataFrame, folder: Path, **options: str) -> DataFrame:
    """Write a new Delta table and return it as it is read."""
    frame.write.format("delta").mode("overwrite").options(**options).save(str(folder))
    return frame.sparkSession.read.format("delta").load(str(folder))
