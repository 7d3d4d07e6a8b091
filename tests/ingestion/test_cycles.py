"""`run --follow`, cycle by cycle: what lands is in gold, and what is in trouble keeps nothing else back."""

import json
import os
import shutil
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from ingestion.bronze.tables import create_tables
from ingestion.config.feeds import read_config
from ingestion.cycles import loading
from ingestion.cycles.one_cycle import Options, Progress, run_cycle
from ingestion.cycles.project import Project
from tests.pipeline.conftest import Lakehouse
from tests.pipeline.shop_records import SHOP_MODELS
from tests.support.kafka_broker import KafkaBroker

pytestmark = pytest.mark.kafka

MODEL = """{{{{ cdc.current_state(
    feed='{feed}', database='{feed}', table='{table}',
    key=['id'],
    columns={{'id': '{kind}', 'name': 'string'}}
) }}}}
"""
NOW = 1795232535000


def change(database: str, table: str, number: int, name: str, at: int = NOW) -> dict:
    message = {
        "data": [{"id": str(number), "name": name}],
        "database": database,
        "es": at,
        "id": number,
        "isDdl": False,
        "mysqlType": {"id": "bigint", "name": "varchar(64)"},
        "old": None,
        "pkNames": ["id"],
        "sql": "",
        "table": table,
        "ts": at + 100,
        "type": "INSERT",
    }
    return {"key": str(number), "value": json.dumps(message).encode()}


def feed_of(topic: str, **settings: object) -> dict:
    return {"format": "canal_json", "topics": [topic]} | settings


@dataclass
class Followed:
    """A project that is followed here, one cycle at a time."""

    lakehouse: Lakehouse
    broker: KafkaBroker
    options: Options = field(default_factory=lambda: Options(600, 1e9))
    stack: ExitStack = field(default_factory=ExitStack)

    def begin(self) -> None:
        """Forget all, as a new process does."""
        self.stack.close()
        self.stopping = threading.Event()
        self.project, self.progress = Project(read_config(self.lakehouse.root)), Progress()
        create_tables(self.lakehouse.spark, self.project.config.bronze)
        self.loaders = loading.loaders_of(self.lakehouse.spark, self.stopping, {})
        self.stack.callback(loading.close, self.loaders)
        self.number = 0

    def cycle(self, until=lambda _: True):
        """Run cycles until one is as it should be, for a minute at most."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            self.number += 1
            self.project, self.progress, cycle = run_cycle(
                self.lakehouse.spark,
                self.project,
                self.progress,
                self.options,
                self.loaders,
                self.number,
            )
            if until(cycle):
                return cycle
        raise AssertionError(f"no cycle was as it should be; the last: {cycle}")

    def rows(self, table: str) -> list[tuple]:
        return sorted(
            tuple(row) for row in self.lakehouse.sql(f"select id, name from gold.{table}")
        )

    def write_model(self, feed: str, table: str, kind: str = "bigint") -> None:
        self.lakehouse.write_model(table, MODEL.format(feed=feed, table=table, kind=kind))


@pytest.fixture(scope="module")
def followed(tmp_path_factory, spark, broker):
    before = Path.cwd()
    lakehouse = Lakehouse(tmp_path_factory.mktemp("followed"))
    lakehouse.spark = spark
    shutil.rmtree(lakehouse.root / SHOP_MODELS)
    path = lakehouse.root / "dbt_project.yml"
    told = path.read_text().replace("localhost:9092", broker.servers)
    # this session's Java has begun in another folder
    path.write_text(told.replace("lakehouse/bronze", str(lakehouse.root / "lakehouse" / "bronze")))
    followed = Followed(lakehouse, broker)
    broker.create("crm")
    broker.produce("crm", [change("crm", "people", 1, "Ann")])
    lakehouse.set_feeds({"crm": feed_of("crm")})
    followed.write_model("crm", "people")
    followed.begin()
    yield followed
    followed.stack.close()
    os.chdir(before)


def names_of(cycle) -> list[tuple[str, str]]:
    return [(trouble.kind, trouble.name) for trouble in cycle.troubles]


def test_what_lands_is_in_gold_with_the_cycle_and_nothing_new_needs_no_dbt(followed):
    first = followed.cycle()
    assert (first.records, first.tables_changed, first.troubles) == ({"crm": 1}, ("people",), ())
    assert first.newest_changes["people"].timestamp() == NOW / 1000
    assert first.lag == {"crm": {"crm": {0: 0}}}
    assert followed.rows("people") == [(1, "Ann")]
    idle = followed.cycle()
    assert (idle.records, idle.tables_changed, idle.is_built) == ({"crm": 0}, (), False)
    assert idle.newest_changes == first.newest_changes
    followed.broker.produce("crm", [change("crm", "people", 2, "Bob", NOW + 5000)])
    second = followed.cycle()
    assert (second.records, second.tables_changed) == ({"crm": 1}, ("people",))
    assert second.newest_changes["people"].timestamp() == NOW / 1000 + 5
    assert second.bytes["crm"] > 200
    assert followed.rows("people") == [(1, "Ann"), (2, "Bob")]


@pytest.mark.long
def test_the_shipped_tests_run_where_something_was_built_once_their_time_has_come(followed, capsys):
    followed.cycle()
    waiting, lakehouse = followed.options, followed.lakehouse
    followed.broker.produce("crm", [change("crm", "people", 4, "Dan")])
    assert followed.cycle(lambda cycle: cycle.records["crm"]).tests == {}
    silver = "silver.canal_json_changes"
    (before,) = lakehouse.sql(f"describe history {silver} limit 1")
    lakehouse.sql(f"delete from {silver} where feed = 'crm' and offset = 0")
    followed.options = replace(waiting, test_every=0)
    try:
        tests = followed.cycle().tests
        assert tests["failed"] == 1 < tests["passed"]
        assert "Test every_record_is_in_silver" in capsys.readouterr().err
        assert followed.cycle().tests == {}
    finally:
        followed.options = waiting
        lakehouse.sql(f"restore table {silver} to version as of {before.version}")


@pytest.mark.long
def test_a_feed_and_a_model_that_are_added_are_in_gold_within_two_cycles(followed):
    followed.cycle()
    followed.broker.create("erp")
    followed.broker.produce("erp", [change("erp", "orders", 1, "first")])
    followed.lakehouse.add_feed("erp", **feed_of("erp"))
    followed.write_model("erp", "orders")
    changed = followed.cycle().tables_changed + followed.cycle().tables_changed
    assert "orders" in changed
    assert followed.rows("orders") == [(1, "first")]


def test_a_feed_in_trouble_keeps_no_other_back_is_said_once_and_goes_on_when_mended(
    followed, capsys
):
    lakehouse, broker = followed.lakehouse, followed.broker
    broker.create("lost")
    broker.produce("lost", [change("lost", "t", 1, "x")])
    broker.create("zoned")
    broker.produce("zoned", [change("zoned", "zones", 1, "x")])
    lakehouse.add_feed("lost", **feed_of("lost"))
    lakehouse.add_feed("zoned", **feed_of("zoned"))
    followed.write_model("zoned", "zones")
    followed.cycle(lambda cycle: cycle.records.get("lost") or cycle.records.get("zoned"))
    assert followed.cycle().troubles == ()
    capsys.readouterr()

    broker.produce("lost", [change("lost", "t", number, "x") for number in range(2, 6)])
    broker.expire_before("lost", 0, 4)
    lakehouse.add_feed("zoned", **feed_of("zoned", time_zone="Asia/Shanghai"))
    broker.produce("zoned", [change("zoned", "zones", 2, "y")])
    unreachable = {"bootstrap.servers": "127.0.0.1:1"}
    lakehouse.add_feed("gone", **feed_of("gone", kafka=unreachable))
    broker.produce("crm", [change("crm", "people", 3, "Cid")])
    cycle = followed.cycle()
    assert cycle.tables_changed == ("people",)
    landed = {name: cycle.records[name] for name in ("crm", "lost", "zoned", "gone")}
    assert landed == {"crm": 1, "lost": 0, "zoned": 0, "gone": 0}
    assert (3, "Cid") in followed.rows("people")
    in_trouble = {("feed", name) for name in ("gone", "lost", "zoned")}
    followed.cycle(lambda cycle: set(names_of(cycle)) == in_trouble)
    assert set(names_of(followed.cycle())) == in_trouble
    # the brokers that do not answer have not been waited for
    assert "gone" in followed.loaders.running
    said = capsys.readouterr().err.splitlines()
    assert sorted(line.split(":")[0] for line in said) == ["Feed gone", "Feed lost", "Feed zoned"]
    assert any("offsets 1 to 3 expired at the brokers" in line for line in said)
    assert any("no broker answers at 127.0.0.1:1" in line for line in said)
    assert any("time_zone was not set when its records landed" in line for line in said)
    # dbt takes the feed as it landed
    broker.produce("crm", [change("crm", "people", 4, "Dee")])
    assert followed.cycle().tables_changed == ("people",)

    lakehouse.add_feed("zoned", **feed_of("zoned"))
    lakehouse.drop_feed("gone")
    # the follower has let go of the feed, so that an operator may load it
    assert lakehouse.load("lost", "--accept-gaps") == 0
    followed.cycle(
        lambda cycle: cycle.troubles == () and followed.rows("zones") == [(1, "x"), (2, "y")]
    )
    said = capsys.readouterr().out
    for name in ("gone", "lost", "zoned"):
        assert f"feed {name}: in order again" in said


def test_a_model_that_fails_delays_no_other_and_is_tried_again(followed, capsys):
    followed.cycle()
    followed.write_model("crm", "broken", kind="no_type")
    followed.broker.produce(
        "crm", [change("crm", "people", 10, "Eve"), change("crm", "broken", 1, "x")]
    )
    cycle = followed.cycle()
    assert (cycle.tables_changed, names_of(cycle)) == (("people",), [("model", "broken")])
    assert (10, "Eve") in followed.rows("people")
    again = followed.cycle()
    assert (again.is_built, names_of(again)) == (True, [("model", "broken")])
    assert capsys.readouterr().err.count("Model broken failed: ") == 1
    # a file that dbt cannot parse leaves the project as it was
    followed.lakehouse.write_model("worse", "{{ cdc.current_state( }}")
    followed.broker.produce("crm", [change("crm", "people", 11, "Fay")])
    cycle = followed.cycle()
    assert ("project", "project") in names_of(cycle)
    assert cycle.tables_changed == ("people",)
    (followed.lakehouse.root / "models" / "gold" / "worse.sql").unlink()
    followed.write_model("crm", "broken")
    cycle = followed.cycle(lambda cycle: cycle.troubles == ())
    assert cycle.tables_changed == ("broken",)
    assert followed.rows("broken") == [(1, "x")]
    assert followed.cycle().is_built is False


@pytest.mark.long
def test_twenty_feeds_with_nothing_new_need_no_dbt_and_no_job_of_spark(followed):
    names = [f"idle_{number}" for number in range(20)]
    for name in names:
        followed.broker.create(name)
    followed.broker.produce("idle_7", [change("idle", "t", 1, "x")])
    followed.lakehouse.set_feeds(followed.lakehouse.feeds | {name: feed_of(name) for name in names})
    followed.cycle(lambda cycle: set(names) <= set(followed.loaders.seen) and not cycle.is_built)
    tracker = followed.lakehouse.spark.sparkContext.statusTracker()
    before = set(tracker.getJobIdsForGroup(None))
    cycle = followed.cycle()
    assert set(tracker.getJobIdsForGroup(None)) == before
    assert (cycle.is_built, sum(cycle.records.values()), cycle.troubles) == (False, 0, ())
    assert cycle.seconds < 3
