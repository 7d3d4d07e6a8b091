"""How long a change takes from the source to gold with `run --follow`, and how memory goes on.

`python benchmarks/follow.py` starts a broker and `run --follow`, in processes of their own, and
writes 200 changes a second to 10 of 50 tables for an hour. Each change says when it was made; gold
is read beside it, by delta-rs, as any other tool would. `--minutes 5` is a short one.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.support.kafka_broker import KafkaBroker  # noqa: E402

MODEL = """{{{{ cdc.current_state(
    feed='bench', database='shop', table='{table}', key=['id'],
    columns={{'id': 'bigint', 'customer': 'string', 'total': 'decimal(12,2)', 'sent': 'bigint'}}
) }}}}
"""
PARTITIONS = 4
KEYS = 2000
# a row of the source by table and key
Rows = dict[tuple[int, int], dict[str, str]]


@dataclass
class Delays:
    """Seconds from a change to its row in gold, each with the time of the change."""

    found: list[tuple[float, float]] = field(default_factory=list)
    # table -> the version that was read last, and the newest change in it
    read: dict[str, int] = field(default_factory=dict)
    newest: dict[str, int] = field(default_factory=dict)


def make_project(folder: Path, servers: str, tables: int) -> Path:
    """Return a copy of the project, by links, that reads the benchmark's topic."""
    project = yaml.safe_load((ROOT / "dbt_project.yml").read_text())
    project["vars"]["kafka"] = {"bootstrap.servers": servers}
    project["vars"]["feeds"] = {"bench": {"format": "canal_json", "topics": ["bench"]}}
    for name in ("bronze", "silver"):
        shutil.copytree(ROOT / "models" / name, folder / "models" / name)
    (folder / "models" / "gold").mkdir()
    for number in range(tables):
        text = MODEL.format(table=f"orders_{number}")
        (folder / "models" / "gold" / f"orders_{number}.sql").write_text(text)
    for name in (".jars", "profiles", "profiles.yml", "macros", "tests"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "dbt_project.yml").write_text(yaml.safe_dump(project, sort_keys=False))
    return folder


def change(dice: random.Random, number: int, table: int, key: int, rows: Rows) -> dict:
    """Return a Canal message whose row carries the time when it was made.

    `rows` are those of the source by table and key: of one that is there, it is an UPDATE.
    """
    now, before = time.time(), rows.get((table, key))
    row = {
        "id": str(key),
        "customer": f"customer {dice.getrandbits(32):x}",
        "total": f"{dice.randrange(10**6) / 100:.2f}",
        "sent": str(round(now * 1000)),
    }
    message = {
        "data": [row],
        "database": "shop",
        "es": round(now * 1000),
        "id": number,
        "isDdl": False,
        "mysqlType": {"id": "bigint", "customer": "varchar(64)", "total": "decimal(12,2)"},
        "old": [{name: before[name] for name in row if name != "id"}] if before else None,
        "pkNames": ["id"],
        "sql": "",
        "table": f"orders_{table}",
        "ts": round(now * 1000),
        "type": "UPDATE" if before else "INSERT",
    }
    rows[table, key] = row
    name = f"{table}.{key}"
    return {"key": name, "value": json.dumps(message).encode(), "partition": hash_of(name)}


def hash_of(name: str) -> int:
    """Return the partition of a key."""
    return sum(name.encode()) % PARTITIONS


def produce(
    broker: KafkaBroker, rate: int, tables: int, rows: Rows, stop: threading.Event, sent: list[int]
) -> None:
    """Write changes at the rate until stopped."""
    dice, number, started = random.Random(1), 0, time.monotonic()
    while not stop.is_set():
        due = int((time.monotonic() - started) * rate)
        changes = [
            change(dice, one, dice.randrange(tables), dice.randrange(KEYS), rows)
            for one in range(number, due)
        ]
        broker.produce("bench", changes)
        number = max(due, number)
        sent[0] = number
        stop.wait(0.1)


def watch_gold(warehouse: Path, tables: int, delays: Delays, stop: threading.Event) -> None:
    """Note each version of each table as it appears, and the changes that came with it."""
    while not stop.wait(0.2):
        for number in range(tables):
            note_table(warehouse / "gold.db" / f"orders_{number}", delays)


def note_table(path: Path, delays: Delays) -> None:
    """Note the new changes in a table; of two changes of one row, only the newer is seen."""
    log = path / "_delta_log"
    versions = [int(one.stem) for one in log.glob("[0-9]*.json")] if log.exists() else []
    before = delays.read.get(path.name, -1)
    newest = max(versions, default=-1)
    if newest <= before:
        return
    at = (log / f"{newest:020}.json").stat().st_mtime
    try:
        dataset = DeltaTable(str(path), version=newest).to_pyarrow_dataset()
        times = sorted(dataset.to_table(columns=["sent"])["sent"].to_pylist())
    except (DeltaError, FileNotFoundError):
        # replaced while it was read: the next call finds it
        return
    since = delays.newest.get(path.name, 0)
    delays.read[path.name] = newest
    delays.newest[path.name] = times[-1] if times else since
    delays.found += [(one / 1000, at - one / 1000) for one in times if one > since]


def memory_of(process: int) -> int:
    """Return the resident memory of a process and of those that it started, in MB."""
    total = 0
    for one in [process, *children_of(process)]:
        try:
            status = Path(f"/proc/{one}/status").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        total += int(re.search(r"VmRSS:\s+(\d+)", status)[1]) if "VmRSS" in status else 0
    return total // 1024


def children_of(process: int) -> Iterator[int]:
    """Yield the processes that a process started, and those that they started."""
    for path in Path(f"/proc/{process}/task").glob("*/children"):
        for child in path.read_text().split():
            yield int(child)
            yield from children_of(int(child))


def share(values: list[float], part: float) -> float:
    """Return the value that this share of all values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def main() -> None:
    """Measure, and print the delays and the memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=50)
    parser.add_argument("--busy", type=int, default=10, help="tables that changes come to")
    parser.add_argument("--rate", type=int, default=200, help="changes a second, of all together")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--warm-up", type=float, default=2, metavar="MINUTES", help="not counted")
    parser.add_argument("--interval", type=float, default=15)
    parser.add_argument("--memory", default="2g", help="of Spark")
    args = parser.parse_args()
    folder = Path(tempfile.mkdtemp())
    broker = KafkaBroker(folder / "kafka")
    broker.create("bench", PARTITIONS)
    project = make_project(folder, broker.servers, args.tables)
    # every table is there before the clock starts
    dice, rows = random.Random(0), {}
    broker.produce("bench", [change(dice, one, one, 0, rows) for one in range(args.tables)])
    log = (folder / "follow.log").open("w")
    command = [sys.executable, "-m", "ingestion", "run", "--follow"]
    follower = subprocess.Popen(
        [*command, "--interval", str(args.interval), "--project-dir", str(project)],
        cwd=ROOT,
        env=os.environ | {"LAKEHOUSE_DRIVER_MEMORY": args.memory},
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    try:
        measure(args, folder, broker, follower, rows)
    finally:
        follower.terminate()
        follower.wait(300)
        broker.stop()
        print((folder / "follow.log").read_text()[-2000:])
        shutil.rmtree(folder, ignore_errors=True)


def measure(
    args: argparse.Namespace,
    folder: Path,
    broker: KafkaBroker,
    follower: subprocess.Popen,
    rows: Rows,
) -> None:
    """Write changes for this long, and print their delays."""
    while "records," not in (folder / "follow.log").read_text():
        assert follower.poll() is None, (folder / "follow.log").read_text()
        time.sleep(0.5)
    print(f"{args.tables} tables are there; {args.rate} changes a second of {args.busy} begin")
    stop, delays, sent = threading.Event(), Delays(), [0]
    warehouse = folder / "lakehouse" / "warehouse"
    threads = [
        threading.Thread(target=produce, args=(broker, args.rate, args.busy, rows, stop, sent)),
        threading.Thread(target=watch_gold, args=(warehouse, args.busy, delays, stop)),
    ]
    started, began = time.monotonic(), time.time()
    for thread in threads:
        thread.start()
    memory: list[tuple[float, int]] = []
    while (minutes := (time.monotonic() - started) / 60) < args.minutes:
        memory.append((minutes, memory_of(follower.pid)))
        print(f"  minute {minutes:5.1f}: {memory[-1][1]:,} MB, {sent[0]:,} changes", flush=True)
        time.sleep(min(30.0, args.minutes * 60 / 10))
    stop.set()
    for thread in threads:
        thread.join()
    counted = [delay for at, delay in delays.found if at - began > args.warm_up * 60]
    lines = (folder / "follow.log").read_text().splitlines()
    cycles = [float(one[1]) for line in lines if (one := re.search(r"changed, ([0-9.]+) s", line))]
    print(f"| | \n|---|---|\n| changes sent | {sent[0]:,} |")
    print(f"| seen in gold after the warm-up | {len(counted):,} |")
    if counted:
        print(f"| p50 of the delay | {share(counted, 0.5):.1f} s |")
        print(f"| p95 of the delay | {share(counted, 0.95):.1f} s |")
    print(
        f"| cycles, and the median of their seconds | {len(cycles)}, {share(cycles, 0.5):.1f} s |"
    )
    quarter = [size for minutes, size in memory if minutes >= args.minutes / 4]
    print(f"| memory after a quarter of the time | {min(quarter):,} to {max(quarter):,} MB |")


if __name__ == "__main__":
    main()
