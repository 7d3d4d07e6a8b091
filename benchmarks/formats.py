"""How fast each format is parsed, against Canal's messages and against a bare scan.

`python benchmarks/formats.py` repeats the vendors' sample messages of each format, and in turn
parses Canal's into the change contract, scans the format's and parses them. It prints a row per
format: messages and megabytes per second, its time as a multiple of the scan's, and its time for
a byte as a multiple of Canal's.
`python benchmarks/formats.py streamx maxwell` takes only these.
"""

import argparse
import shutil
import statistics
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from pyspark.sql import DataFrame, SparkSession
from timing import seconds

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from ingestion.spark.session import session  # noqa: E402
from tests.formats.conftest import HERE, load_lines, rendered_macros, wire_bytes  # noqa: E402

BYTES = 40_000_000
ROUNDS = 3
# Until Java has compiled what a format's parse takes, each run is faster than the one before.
WARM_UP = 5
MESSAGES = """
    select
        'bench' as feed, 'bench' as format, 'bench' as topic, 0 as topic_generation,
        0 as partition, id as offset, timestamp_millis(0) as timestamp,
        'CreateTime' as timestamp_type,
        cast(array() as array<struct<key: string, value: binary>>) as headers, key, value,
        cast(null as string) as load_error, '' as load_id, timestamp_millis(0) as ingested_at,
        0L as bronze_version, cast(map() as map<string, array<string>>) as feed_key_columns,
        {settings} as feed_settings
    from records
"""
# Formats whose samples are other formats' in Avro.
SAMPLES = {"drs_avro": "drs_avro twin of drs_json line"}
SETTINGS = {"canal_json_dts": {"dts_instance_created": "since_2022_03_20"}}


def samples(name: str) -> list[tuple[bytes | None, bytes]]:
    """Return key and value of the format's sample messages that have a value."""
    pairs = [
        (wire_bytes(record, "key"), wire_bytes(record, "value"))
        for record in load_lines(HERE / name / "messages.jsonl")
        if record["case"].startswith(SAMPLES.get(name, (f"{name} line", "captured", "debezium_")))
    ]
    return [(key, value) for key, value in pairs if value]


def write_records(spark: SparkSession, name: str, folder: Path) -> tuple[int, int]:
    """Write about 40 MB of repeated samples; return the number of messages and of bytes."""
    once = samples(name)
    size = sum(len(value) for _, value in once)
    times = max(1, BYTES // size)
    frame = spark.createDataFrame(once, "key binary, value binary").coalesce(1)
    repeated = frame.crossJoin(spark.range(times)).repartition(4)
    repeated.write.mode("overwrite").option("compression", "zstd").parquet(str(folder))
    return len(once) * times, size * times


def run(frame: DataFrame) -> None:
    """Compute every column of every row, and keep none."""
    frame.write.mode("overwrite").format("noop").save()


class Prepared(NamedTuple):
    """The records of a format, and what is measured of them."""

    messages: int
    bytes: int
    scan: DataFrame
    parse: DataFrame


def prepare(spark: SparkSession, macros: object, name: str, folder: Path) -> Prepared:
    """Write the records of a format, and return how they are scanned and parsed."""
    count, size = write_records(spark, name, folder)
    spark.read.parquet(str(folder)).createOrReplaceTempView("records")
    settings = ", ".join(f"'{a}', '{b}'" for a, b in SETTINGS.get(name, {}).items())
    text = MESSAGES.format(settings=f"cast(map({settings}) as map<string, string>)")
    spark.sql(text).createOrReplaceTempView("messages")
    parsed = spark.sql(getattr(macros, f"parse_{name}")("messages"))
    return Prepared(count, size, spark.table("messages"), parsed)


def row(name: str, canal: Prepared, own: Prepared) -> str:
    """Measure a format in turn with Canal, and return its row of the table: medians."""
    rounds = [
        tuple(seconds(lambda one=one: run(one)) for one in (canal.parse, own.scan, own.parse))
        for _ in range(WARM_UP + ROUNDS)
    ][WARM_UP:]
    parsed = statistics.median(taken for _, _, taken in rounds)
    against_scan = statistics.median(taken / scanned for _, scanned, taken in rounds)
    per_byte = statistics.median(
        (taken / own.bytes) / (canals / canal.bytes) for canals, _, taken in rounds
    )
    cells = (
        name,
        f"{own.messages / parsed:,.0f}",
        f"{own.bytes / parsed / 1e6:.0f}",
        f"{against_scan:.1f}",
        f"{per_byte:.2f}",
    )
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Measure the formats and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("formats", nargs="*", metavar="FORMAT")
    named = parser.parse_args().formats
    every = sorted(path.parent.name for path in HERE.glob("*/messages.jsonl"))
    macros = rendered_macros()
    spark = session(ROOT)
    spark.conf.set("spark.sql.ansi.enabled", "false")
    folder = Path(tempfile.mkdtemp())
    try:
        canal = prepare(spark, macros, "canal_json", folder / "canal")
        print(
            "| format | messages per second | MB per second | times a scan | per byte, Canal as 1 |"
        )
        print("|---|---|---|---|---|")
        for name in named or every:
            print(row(name, canal, prepare(spark, macros, name, folder / name)), flush=True)
            shutil.rmtree(folder / name)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
