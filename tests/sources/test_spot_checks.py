"""Spot checks of `run --follow` beside databases at work: what differs is found within five looks, and nothing else.

SPOT_MINUTES says how long they work before anything differs; `make test-long` takes an hour.
"""

import os
import random
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from deltalake import DeltaTable
from deltalake.exceptions import CommitFailedError

from ingestion.config.feeds import read_config
from ingestion.report.gathering import Finding, read_findings
from tests.sources import mariadb_configurations, postgres_configurations
from tests.sources.connect import Connect
from tests.sources.mariadb import MariaDB
from tests.sources.postgres import Postgres
from tests.sources.postgres_configurations import WITHOUT_SCHEMAS
from tests.sources.project import Project
from tests.sources.releases import MARIADB_RELEASE, POSTGRES_RELEASE, mariadb_programs
from tests.sources.server import LOGS, stop_all
from tests.support.kafka_broker import KafkaBroker

pytestmark = pytest.mark.nightly

MINUTES = float(os.environ.get("SPOT_MINUTES", "2"))
# fewer than a look takes, so that each look sees every row
KEYS = range(10, 40)
CHANGED, REVIVED, MISSING = 1, 2, 3
TABLE = "create table {}orders (id int primary key, total decimal(10,2), note varchar(40));"
MODEL = """{{{{ cdc.current_state(
    feed='{feed}', {place}, table='orders', key=['id'],
    columns={{'id': 'int', 'total': 'decimal(10,2)', 'note': 'string'}}
) }}}}
"""
PLACES = {
    "spot_postgresql": "database='postgres', schema='public'",
    "spot_mariadb": "database='shop'",
}
# statements that no message tells of
UNSEEN = {
    "spot_postgresql": (
        "alter publication everything set (publish = 'truncate');",
        "alter publication everything set (publish = 'insert, update, delete, truncate');",
    ),
    "spot_mariadb": ("set sql_log_bin = 0;", "set sql_log_bin = 1;"),
}


@dataclass
class Shop:
    """Two databases that are written all the time, and the project that follows them."""

    project: Project
    databases: dict[str, Postgres | MariaDB]
    stopping: threading.Event = field(default_factory=threading.Event)
    failures: list[BaseException] = field(default_factory=list)

    def write(self, feed: str) -> None:
        """Change some rows every half second, until the test is over."""
        dice = random.Random(feed)
        try:
            while not self.stopping.wait(0.5):
                told = [statement(dice, feed) for _ in range(10)]
                self.databases[feed].run("\n".join(told))
        except BaseException as error:
            self.failures.append(error)
            raise

    def findings(self) -> list[Finding]:
        """Return those of spot checks that are open."""
        found = read_findings(read_config(self.project.folder))
        return [one for one in found if one.test == "spot_check" and one.resolved_at is None]

    def cycles(self) -> int:
        return len(re.findall(r"records, \d+ tables? changed", self.log()))

    def log(self) -> str:
        return (LOGS / "run.log").read_text(errors="replace")

    def gold(self, feed: str) -> DeltaTable:
        return DeltaTable(self.project.folder / "lakehouse" / "warehouse" / "gold.db" / feed)


def table_of(feed: str) -> str:
    return "public.orders" if feed == "spot_postgresql" else "shop.orders"


def statement(dice: random.Random, feed: str) -> str:
    key, total, table = dice.choice(KEYS), dice.randrange(10**6) / 100, table_of(feed)
    if dice.random() < 0.2:
        return f"delete from {table} where id = {key};"
    if feed == "spot_postgresql":
        end = "on conflict (id) do update set total = excluded.total"
    else:
        end = "on duplicate key update total = values(total)"
    return f"insert into {table} values ({key}, {total:.2f}, 'n{key}') {end};"


def connectors(databases: dict[str, Postgres | MariaDB], servers: str) -> dict[str, dict[str, str]]:
    """Return the settings of the two connectors by their names."""
    common = WITHOUT_SCHEMAS | {"decimal.handling.mode": "string"}
    return {
        "spot_postgresql": postgres_configurations.CONNECTOR
        | common
        | {
            "database.port": str(databases["spot_postgresql"].port),
            "topic.prefix": "spot_postgresql",
            "slot.name": "spot_postgresql",
            "table.include.list": "public.orders",
        },
        "spot_mariadb": mariadb_configurations.CONNECTOR
        | common
        | {
            "database.port": str(databases["spot_mariadb"].port),
            "database.server.id": "5480",
            "topic.prefix": "spot_mariadb",
            "table.include.list": "shop.orders",
            "schema.history.internal.kafka.topic": "history.spot_mariadb",
            "schema.history.internal.kafka.bootstrap.servers": servers,
        },
    }


def make_project(
    folder: Path, databases: dict[str, Postgres | MariaDB], broker: KafkaBroker
) -> Project:
    ports = {feed: database.port for feed, database in databases.items()}
    sources = {
        "spot_postgresql": {
            "url": f"jdbc:postgresql://127.0.0.1:{ports['spot_postgresql']}/postgres",
            "user": "postgres",
        },
        "spot_mariadb": {
            "url": f"jdbc:mariadb://127.0.0.1:{ports['spot_mariadb']}/shop",
            "user": "cdc",
        },
    }
    feeds = {
        feed: {
            "format": "debezium_json",
            "topic_pattern": rf"{feed}\..*",
            "source": source | {"password": "${SPOT_PASSWORD}"},
        }
        for feed, source in sources.items()
    }
    project = Project(folder, broker.servers, feeds)
    models = project.folder / "models" / "gold"
    models.mkdir(parents=True, exist_ok=True)
    for feed, place in PLACES.items():
        (models / f"{feed}.sql").write_text(MODEL.format(feed=feed, place=place))
    return project


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    os.environ["SPOT_PASSWORD"] = "cdc"
    # not pytest's own folder, which only its user may enter: databases run as users of their own
    folder = Path(tempfile.mkdtemp(prefix="cdc-spot-"))
    folder.chmod(0o755)
    broker = KafkaBroker(folder / "kafka", creates_topics=True)
    try:
        programs = mariadb_programs(MARIADB_RELEASE, folder)
        databases = {
            "spot_postgresql": Postgres(folder, POSTGRES_RELEASE),
            "spot_mariadb": MariaDB(folder, programs, "spot_mariadb"),
        }
        for feed, database in databases.items():
            table = table_of(feed)
            rows = ", ".join(f"({key}, {key}, 'n{key}')" for key in (1, 2, 3, *KEYS))
            database.run(TABLE.format(table.removesuffix("orders")))
            database.run(f"insert into {table} values {rows};")
        databases["spot_postgresql"].run("create publication everything for table public.orders;")
        connect = Connect(folder, broker.servers)
        for name, settings in connectors(databases, broker.servers).items():
            connect.add(name, settings)
        connect.wait_until_running()
        shop = Shop(make_project(folder / "project", databases, broker), databases)
        (LOGS / "run.log").unlink(missing_ok=True)
        writers = [threading.Thread(target=shop.write, args=(feed,)) for feed in databases]
        for writer in writers:
            writer.start()
        follower = shop.project.start_ingestion(
            *("run", "--follow", "--interval", "5", "--spot-check-every", "1")
        )
        try:
            wait_until(lambda: shop.cycles() > 2, 300, shop)
            yield shop
        finally:
            shop.stopping.set()
            follower.terminate()
            follower.wait(120)
            for writer in writers:
                writer.join()
    finally:
        stop_all()
        broker.stop()
        shutil.rmtree(folder, ignore_errors=True)


def wait_until(is_true, seconds: float, shop: Shop) -> None:
    deadline = time.monotonic() + seconds
    while not is_true():
        assert not shop.failures, shop.failures
        assert time.monotonic() < deadline, shop.log()[-3000:]
        time.sleep(0.5)


def lose_in_gold(shop: Shop, feed: str) -> None:
    """Let a row come through, and delete it in gold; the follower may write the table meanwhile."""
    shop.databases[feed].run(f"update {table_of(feed)} set note = 'lost' where id = {MISSING};")

    def deleted() -> bool:
        try:
            told = shop.gold(feed).delete(f"id = {MISSING} and note = 'lost'")
        except CommitFailedError:
            return False
        return told["num_deleted_rows"] > 0

    wait_until(deleted, 120, shop)


def test_an_hour_of_work_gives_no_false_alarm_and_what_differs_is_found_within_five_looks(shop):
    began = time.monotonic()
    while time.monotonic() - began < MINUTES * 60:
        assert shop.findings() == [], shop.log()[-3000:]
        time.sleep(5)
    assert "Spot check" not in shop.log(), shop.log()[-3000:]
    for feed, (off, on) in UNSEEN.items():
        lose_in_gold(shop, feed)
        table = table_of(feed)
        shop.databases[feed].run(
            f"{off}\nupdate {table} set total = 0.01 where id = {CHANGED};"
            f"\ndelete from {table} where id = {REVIVED};\n{on}"
        )
    cycles = shop.cycles()
    expected = {(feed, (str(key),)) for feed in UNSEEN for key in (CHANGED, REVIVED, MISSING)}

    def found() -> set[tuple[str, tuple[str, ...]]]:
        return {(one.gold_table, one.row_key) for one in shop.findings()}

    wait_until(lambda: found() >= expected, 300, shop)
    assert found() == expected
    # one that was at work then, and a cycle may have time for one of the two tables alone
    assert shop.cycles() - cycles <= 1 + 2 * 5, shop.log()[-3000:]
