"""What a run that ended on its way has left behind is done by the next one."""

import re

import pytest
from pyspark.sql import SparkSession

from ingestion.__main__ import main as ingestion
from ingestion.config.feeds import Feed
from tests.pipeline.shop_records import canal_record, content, debezium_record, made

pytestmark = pytest.mark.long


class Death:
    """The end of the process after its nth statement that begins with a word: none after it happens."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        self.left, self.word = None, ""
        self.sql = SparkSession.sql
        monkeypatch.setattr(SparkSession, "sql", lambda *told, **named: self.run(*told, **named))

    def run(self, spark, query, *told, **named):
        if self.left is not None:
            if self.left == 0:
                raise RuntimeError("the process ended here")
            statement = " ".join(re.sub(r"/\*.*?\*/", "", query, flags=re.DOTALL).split())
            self.left -= statement.lower().startswith(self.word)
        return self.sql(spark, query, *told, **named)

    def after(self, count, word):
        self.left, self.word = count, word

    def undone(self):
        self.left = None


def test_a_full_refresh_that_ends_after_silver_is_finished_by_the_next_run(shop, monkeypatch):
    models = ("--select", "canal_json_changes", "orders")
    before, rows = builds_of(shop), content(shop, "orders")
    death = Death(monkeypatch)
    death.after(1, "create or replace table")
    assert not shop.dbt("run", "--full-refresh", *models).success
    death.undone()
    # the columns of the new silver may be others, and a view keeps those that it was made with
    assert {"silver.changes", "gold.orders_history"} <= made(shop, monkeypatch)
    assert made(shop, monkeypatch, "--select", "silver", "orders_history") == set()
    after = builds_of(shop)
    assert after["orders"].split()[0] == after["canal_json_changes"]
    assert after["canal_json_changes"] != before["canal_json_changes"]
    assert content(shop, "orders") == rows


LOADED = {
    "connector": "mysql",
    "db": "shop",
    "table": "behind",
    "server_id": 0,
    "row": 0,
    "ts_ms": 1,
}


class OwnFeed:
    """A feed of one test, whose loads have three records each."""

    def __init__(self, project, format_name, name, records_of_load):
        self.project, self.name, self.records_of_load = project, name, records_of_load
        project.add_feed(name, format=format_name, files=f"in/{name}")
        self.feed = Feed(name=name, format=format_name)
        self.silver = f"silver.{format_name}_changes"

    def load(self, number):
        offsets = range(3 * number, 3 * number + 3)
        self.project.land(self.feed, number, self.records_of_load(offsets))

    def leave(self):
        """Let the feed go: `reparse` has noted it."""
        self.project.drop_feed(self.name)
        assert ingestion(["retire", self.name, "--project-dir", str(self.project.root)]) == 0

    def offsets(self):
        rows = self.project.sql(f"select offset from {self.silver} where feed = '{self.name}'")
        return sorted(row.offset for row in rows)

    def epoch(self):
        ranges = f"select max(epoch) from silver.sequence_ranges where feed = '{self.name}'"
        return self.project.sql(ranges)[0][0]


def full_load(offsets):
    """Return a full load of two rows, and an update of one behind it."""
    first, last, update = offsets
    loaded = LOADED | {"file": "bin.000001", "pos": 10 + 100 * first}
    streamed = loaded | {"pos": loaded["pos"] + 10, "server_id": 1, "snapshot": "false"}
    return [
        debezium_record(first, "r", {"id": 1}, loaded | {"snapshot": "first"}),
        debezium_record(last, "r", {"id": 4}, loaded | {"snapshot": "last"}),
        debezium_record(update, "u", {"id": 4}, streamed),
    ]


def inserts(offsets):
    return [canal_record("late", number, "INSERT", {"id": number}, 1000) for number in offsets]


@pytest.fixture
def behind(project, request):
    """A feed whose first full load has come to order_marks."""
    feed = OwnFeed(project, "debezium_json", request.function.__name__, full_load)
    feed.load(0)
    project.run("--select", "silver")
    assert feed.epoch() == 0
    yield feed
    feed.leave()


@pytest.fixture
def late(project, request):
    feed = OwnFeed(project, "canal_json", request.function.__name__, inserts)
    feed.load(0)
    project.run("--select", "silver")
    assert feed.offsets() == [0, 1, 2]
    yield feed
    feed.leave()


def test_order_marks_are_read_that_a_run_had_not_come_to(project, behind):
    behind.load(1)
    project.run("--select", "debezium_json_changes", "canal_json_changes")
    assert behind.epoch() == 0
    project.run("--select", "silver")
    assert behind.epoch() == 1


def test_ranges_are_made_of_order_marks_that_came_without_them(project, behind):
    behind.load(1)
    project.run("--select", "debezium_json_changes", "canal_json_changes", "cdc_order_marks")
    assert behind.epoch() == 0
    project.run("--select", "cdc_sequence_ranges")
    assert behind.epoch() == 1


def test_order_marks_are_read_that_came_before_silver_was_there(project, behind):
    behind.load(1)
    project.run("--select", "cdc_order_marks", "cdc_schemas")
    assert behind.epoch() == 0
    # one format of two has come further
    project.run("--select", "debezium_json_changes")
    project.run("--select", "cdc_order_marks", "cdc_schemas")
    project.run("--select", "silver")
    assert behind.epoch() == 1


def test_what_is_made_of_all_silver_is_built_anew_behind_a_format_alone(shop):
    shop.run("--full-refresh", "--select", "canal_json_changes")
    assert not {"cdc_schemas", "cdc_order_marks"} & set(builds_of(shop))
    refused = shop.dbt("run", "--select", "orders")
    assert "run `dbt run` once without a selection" in str(refused.exception or refused.result)
    shop.run("--select", "silver")
    assert {"cdc_schemas", "cdc_order_marks"} <= set(builds_of(shop))
    shop.run()


def test_silver_that_was_built_anew_takes_the_versions_of_another_bronze(project, late):
    """Its versions may be those that the table had taken from the bronze before."""
    log = (
        project.root / "lakehouse" / "warehouse" / "silver.db" / "canal_json_changes" / "_delta_log"
    )
    texts = [path.read_text() for path in sorted(log.glob("*.json"))]
    taken = [name for text in texts for name in re.findall(r'"appId":"([^"]+)"', text)][-1]
    mark = f"with ('txnAppId' = '{taken}', 'txnVersion' = '1000000')"
    project.sql(
        f"insert into silver.canal_json_changes {mark}"
        " select * from silver.canal_json_changes limit 0"
    )
    before = project.versions()["silver.db/applied_versions"]
    project.run("--full-refresh", "--select", "silver")
    # all marks are forgotten at once, and written at once: models that run side by side would collide
    assert project.versions()["silver.db/applied_versions"] == before + 2
    late.load(1)
    project.run("--select", "silver")
    assert late.offsets() == list(range(6))


def test_messages_that_a_killed_run_brought_to_silver_are_parsed_again(project, late, monkeypatch):
    late.load(1)
    death = Death(monkeypatch)
    death.after(1, "insert into silver.canal_json_changes")
    assert not project.dbt("run", "--select", "canal_json_changes").success
    death.undone()
    assert late.offsets() == list(range(6))
    assert ingestion(["reparse", late.name, "--project-dir", str(project.root)]) == 0
    assert late.offsets() == list(range(6))


def builds_of(shop):
    return {
        row.model: row.built_by
        for row in shop.sql("select model, built_by from silver.applied_versions")
    }
