"""`run --follow` as the user starts it: killed at random moments, and stopped."""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
from deltalake import DeltaTable

from ingestion.errors import OK
from tests.ingestion.test_cycles import MODEL, change, feed_of
from tests.ingestion.test_metrics_server import scraped
from tests.ingestion.test_topics import wait_for
from tests.pipeline.conftest import Lakehouse
from tests.pipeline.shop_records import SHOP_MODELS
from tests.support.java import BRIEF
from tests.support.kafka_broker import KafkaBroker, free_port

pytestmark = [pytest.mark.kafka, pytest.mark.long]

KEYS = 50
LINE = re.compile(r"^[0-9-]+ [0-9:]+  ([0-9,]+) records?, ([0-9,]+) tables? changed, [0-9.]+ s\b")


@pytest.fixture
def lakehouse(tmp_path: Path, broker: KafkaBroker) -> Lakehouse:
    (tmp_path / "project").mkdir()
    lakehouse = Lakehouse(tmp_path / "project")
    shutil.rmtree(lakehouse.root / SHOP_MODELS)
    path = lakehouse.root / "dbt_project.yml"
    path.write_text(path.read_text().replace("localhost:9092", broker.servers))
    return lakehouse


class Follower:
    """`run --follow` in a process of its own."""

    def __init__(self, lakehouse: Lakehouse, temporary: Path) -> None:
        # a killed Java leaves its temporary files: here they go with the test
        java = f"{BRIEF} -Djava.io.tmpdir={temporary}"
        settings = {"LAKEHOUSE_DRIVER_MEMORY": "1g", "JDK_JAVA_OPTIONS": java}
        self.port = free_port()
        command = [sys.executable, "-m", "ingestion", "run", "--follow", "--interval", "0.5"]
        command += ["--metrics-port", str(self.port)]
        self.process = subprocess.Popen(
            [*command, "--project-dir", str(lakehouse.root)],
            cwd=Path(__file__).resolve().parents[2],
            env=os.environ | settings,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def next_cycle(self) -> tuple[int, int]:
        """The records and the changed tables of the next cycle."""
        for line in self.process.stdout:
            found = LINE.match(line)
            if found:
                return tuple(int(number.replace(",", "")) for number in found.groups())
        raise AssertionError(self.process.stderr.read())

    def kill(self) -> None:
        """Kill it, and wait for the end of its Java, which notices that a little later."""
        tasks = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        children = [child for task in tasks for child in task.read_text().split()]
        self.process.kill()
        self.process.communicate()
        wait_for(lambda: not any(Path(f"/proc/{child}").exists() for child in children), 120)


@contextmanager
def producing(broker: KafkaBroker, topic: str) -> Iterator[dict[int, str]]:
    """Changes of the same keys again and again meanwhile; what each key holds at the end."""
    stop, newest = threading.Event(), {}

    def produce() -> None:
        for number in count():
            key, name = number % KEYS, f"version {number}"
            broker.produce(topic, [change("crm", "people", key, name, 1795232535000 + number)])
            newest[key] = name
            if stop.wait(0.02):
                return

    thread = threading.Thread(target=produce)
    thread.start()
    try:
        yield newest
    finally:
        stop.set()
        thread.join()


def test_killed_at_random_moments_nothing_is_lost_or_doubled_and_stopped_all_marks_are_whole(
    lakehouse: Lakehouse, broker: KafkaBroker, tmp_path: Path
):
    kills = int(os.environ.get("KILLS", "2"))
    dice = random.Random(os.environ.get("CASES_SEED", "follow"))
    topic = broker.create("people.followed", 2)
    lakehouse.set_feeds({"crm": feed_of(topic, group="follower")})
    lakehouse.write_model("people", MODEL.format(feed="crm", table="people", kind="bigint"))
    with producing(broker, topic) as newest:
        for _ in range(kills):
            follower = Follower(lakehouse, tmp_path)
            follower.next_cycle()
            time.sleep(dice.uniform(0, 12))
            follower.kill()
        follower = Follower(lakehouse, tmp_path)
        follower.next_cycle()
        # in whatever the second cycle is at
        time.sleep(dice.uniform(0, 6))
    while follower.next_cycle() != (0, 0):
        pass
    assert 'cdc_feed_records{feed="crm"}' in scraped(follower.port)[1]
    follower.process.send_signal(signal.SIGTERM)
    out, err = follower.process.communicate(timeout=300)
    assert (follower.process.returncode, err) == (OK, "")
    assert "Stopped" in out
    warehouse = lakehouse.root / "lakehouse" / "warehouse"
    bronze = DeltaTable(str(lakehouse.root / "lakehouse" / "bronze" / "messages"))
    landed = bronze.to_pyarrow_table(columns=["partition", "offset"]).to_pylist()
    sent = [(row["partition"], row["offset"]) for row in broker.consume([topic])]
    assert sorted((row["partition"], row["offset"]) for row in landed) == sorted(sent)
    silver = DeltaTable(str(warehouse / "silver.db" / "canal_json_changes"))
    parsed = silver.to_pyarrow_table(columns=["partition", "offset"]).to_pylist()
    assert sorted((row["partition"], row["offset"]) for row in parsed) == sorted(sent)
    gold = DeltaTable(str(warehouse / "gold.db" / "people"))
    rows = gold.to_pyarrow_table(columns=["id", "name"]).to_pylist()
    assert {row["id"]: row["name"] for row in rows} == newest
    assert len(rows) == KEYS
    marks = DeltaTable(str(warehouse / "silver.db" / "applied_versions")).to_pyarrow_table()
    applied = {row["model"]: row["bronze_version"] for row in marks.to_pylist()}
    assert applied["people"] == applied["canal_json_changes"] == bronze.version()
    assert broker.committed("follower", topic) == ends(sent)


def ends(sent: list[tuple[int, int]]) -> dict[int, int]:
    found: dict[int, int] = {}
    for partition, offset in sent:
        found[partition] = max(found.get(partition, 0), offset + 1)
    return found
