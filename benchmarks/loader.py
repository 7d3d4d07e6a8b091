"""How fast the loader is, against Spark copying the same records from Parquet to Delta.

`python benchmarks/loader.py` loads records of 1 KB from a local broker into bronze and copies the
same records, in turn and in one warm process, and prints the ratio.
`python benchmarks/loader.py --small` loads a record of each of 16 partitions, in turn with Kafka's
own consumer options and with the loader's.
`python benchmarks/loader.py --beside-dbt` follows a topic while `dbt run` works on the same bronze.
"""

import argparse
import json
import operator
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import yaml
from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from ingestion.bronze.tables import create_tables  # noqa: E402
from ingestion.config.feeds import read_config  # noqa: E402
from ingestion.loader.load import load_once  # noqa: E402
from ingestion.spark.session import session  # noqa: E402
from tests.support.kafka_broker import KafkaBroker  # noqa: E402

TOPIC = "bench"
PARTITIONS = 4
MANY_PARTITIONS = 16
KAFKAS_OWN_OPTIONS = {
    "fetch.max.wait.ms": 500,
    "max.poll.records": 500,
    "max.partition.fetch.bytes": 1024 * 1024,
}
GOLD_MODEL = """{{ cdc.current_state(
    feed='bench', database='shop', table='customers',
    key=['id'],
    columns={'id': 'bigint', 'name': 'string'}
) }}
"""


def messages(count: int, start: int = 0) -> Iterator[dict]:
    """Yield canal messages of about 1 KB whose text compresses like real rows."""
    dice = random.Random(start)
    for number in range(start, start + count):
        row = {"id": str(number), "name": f"customer {number}"}
        row |= {f"c{i}": f"{dice.getrandbits(64):x} {dice.getrandbits(64):x}" for i in range(15)}
        message = {
            "data": [row],
            "database": "shop",
            "es": 1795232535000 + number,
            "id": number,
            "isDdl": False,
            "mysqlType": {"id": "bigint", "name": "varchar(64)"},
            "old": None,
            "pkNames": ["id"],
            "sql": "",
            "table": "customers",
            "ts": 1795232535100 + number,
            "type": "INSERT",
        }
        value = json.dumps(message, separators=(",", ":")).encode()
        yield {"key": str(number), "value": value, "partition": number % PARTITIONS}


def make_project(folder: Path, servers: str, **options: int) -> Path:
    """Return a clone of the project, by links, that reads the benchmark's topic."""
    project = yaml.safe_load((ROOT / "dbt_project.yml").read_text())
    project["vars"]["kafka"] = {"bootstrap.servers": servers} | options
    project["vars"]["feeds"] = {"bench": {"format": "canal_json", "topics": [TOPIC]}}
    for name in ("bronze", "silver"):
        shutil.copytree(ROOT / "models" / name, folder / "models" / name)
    (folder / "models" / "gold").mkdir()
    (folder / "models" / "gold" / "customers.sql").write_text(GOLD_MODEL)
    for name in (".jars", "profiles", "profiles.yml", "macros", "tests"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "dbt_project.yml").write_text(yaml.safe_dump(project, sort_keys=False))
    return folder


def compare(broker: KafkaBroker, folder: Path, records: int, rounds: int) -> None:
    spark = session(make_project(folder / "project", broker.servers))
    yard = folder / "records.parquet"
    ratios = []
    for number in range(rounds + 1):
        home = make_project(folder / f"round{number}", broker.servers)
        loaded = time_load(spark, home, records)
        if number == 0:
            bronze = spark.read.format("delta").load(f"{home}/lakehouse/bronze/messages")
            size = sum(path.stat().st_size for path in home.rglob("*.parquet"))
            print(f"{records:,} records, {size / 1e6:,.0f} MB in bronze", flush=True)
            bronze.write.parquet(str(yard))
        copied = time_copy(spark, yard, folder / f"copy{number}")
        if number:
            ratios.append(copied / loaded)
        name = f"round {number}" if number else "warm-up"
        print(
            f"{name}: loader {loaded:.1f} s ({records / loaded:,.0f} records/s), "
            f"Parquet to Delta {copied:.1f} s ({records / copied:,.0f} records/s), "
            f"the loader has {copied / loaded:.2f} of its speed",
            flush=True,
        )
        shutil.rmtree(home, ignore_errors=True)
        shutil.rmtree(folder / f"copy{number}", ignore_errors=True)
    print(f"median of {rounds}: {statistics.median(ratios):.2f} (goal: at least 0.80)")


def time_load(spark: SparkSession, home: Path, records: int) -> float:
    config = read_config(home)
    create_tables(spark, config.bronze)
    started = time.monotonic()
    code = load_once(spark, config, list(config.feeds.values()), False, threading.Event())
    seconds = time.monotonic() - started
    landed = spark.read.format("delta").load(f"{config.bronze}/messages").count()
    assert (code, landed) == (0, records), (code, landed)
    return seconds


def time_copy(spark: SparkSession, source: Path, target: Path) -> float:
    started = time.monotonic()
    records = spark.read.parquet(str(source))
    # Compressed like bronze, so that only reading differs.
    records.write.format("delta").mode("append").option("compression", "zstd").save(str(target))
    return time.monotonic() - started


def small(broker: KafkaBroker, folder: Path, rounds: int) -> None:
    """Load a record of each partition, in turn with Kafka's own options and with the loader's."""
    homes = {
        "Kafka's own options": make_project(folder / "own", broker.servers, **KAFKAS_OWN_OPTIONS),
        "the loader's": make_project(folder / "loaders", broker.servers),
    }
    spark = session(homes["the loader's"])
    taken: dict[str, list[float]] = {name: [] for name in homes}
    for number in range(1, rounds + 2):
        start = number * MANY_PARTITIONS
        records = messages(MANY_PARTITIONS, start)
        broker.produce(TOPIC, (one | {"partition": n} for n, one in enumerate(records)))
        for name, home in homes.items():
            seconds = time_load(spark, home, number * MANY_PARTITIONS)
            if number > 1:
                taken[name].append(seconds)
    for name, seconds in taken.items():
        ratios = map(operator.truediv, seconds, taken["Kafka's own options"])
        print(
            f"a record of each of {MANY_PARTITIONS} partitions, {name}: "
            f"{statistics.median(seconds):.1f} s, {statistics.median(ratios):.2f} x"
        )


def beside_dbt(broker: KafkaBroker, folder: Path, records: int) -> None:
    """Show that the loader goes on landing records while dbt works on the same bronze."""
    home = make_project(folder / "beside", broker.servers)
    environment = os.environ | {"LAKEHOUSE_DRIVER_MEMORY": "2g", "PYTHONPATH": str(ROOT)}
    started = time.monotonic()

    def show(who: str, stream: IO[str]) -> None:
        for line in stream:
            print(f"{time.monotonic() - started:6.1f} s  {who}  {line.rstrip()}", flush=True)
            seen.append((who, time.monotonic()))

    def start(who: str, *command: str) -> subprocess.Popen:
        process = subprocess.Popen(
            command, cwd=home, env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        threading.Thread(target=show, args=(who, process.stdout), daemon=True).start()
        return process

    seen: list[tuple[str, float]] = []
    python = [sys.executable, "-m", "ingestion", "load", "--project-dir", str(home)]
    loader = start("loader", *python, "--follow", "--interval", "1")
    while not seen:
        assert loader.poll() is None, "the loader ended"
        time.sleep(0.2)
    done = threading.Event()

    def produce() -> None:
        number = records
        while not done.wait(0.5):
            broker.produce(TOPIC, messages(500, start=number))
            number += 500

    producer = threading.Thread(target=produce)
    producer.start()
    began = time.monotonic()
    dbt = start("dbt   ", str(Path(sys.executable).with_name("dbt")), "run")
    code = dbt.wait()
    ended = time.monotonic()
    done.set()
    producer.join()
    loader.terminate()
    stopped = loader.wait(60)
    batches = sum(who == "loader" and began < at < ended for who, at in seen)
    print(f"dbt run ended with {code} after {ended - began:.0f} s; "
          f"the loader landed {batches} batches meanwhile and stopped with {stopped}")  # fmt: skip
    assert batches and (code, stopped) == (0, 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=500_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--beside-dbt", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-loader-") as name:
        broker = KafkaBroker(Path(name) / "kafka")
        try:
            broker.create(TOPIC, MANY_PARTITIONS if args.small else PARTITIONS)
            if args.small:
                small(broker, Path(name), args.rounds)
                return
            started = time.monotonic()
            broker.produce(TOPIC, messages(args.records))
            print(f"produced in {time.monotonic() - started:.0f} s", flush=True)
            if args.beside_dbt:
                beside_dbt(broker, Path(name), args.records)
            else:
                compare(broker, Path(name), args.records, args.rounds)
        finally:
            broker.stop()


if __name__ == "__main__":
    main()
