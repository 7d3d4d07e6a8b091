"""A run costs what is new: the files and tables without news are neither read nor written."""

import re

import pytest
from pyspark.sql import SparkSession

from ingestion.config.feeds import Feed
from tests.pipeline.shop_records import (
    canal_record,
    debezium_record,
    postgres_source,
    statements,
)

pytestmark = pytest.mark.long

MODEL = """{{ cdc.current_state(
    feed='costly', database='shop', table='costs', key=['id'],
    columns={'id': 'int', 'value': 'string'}
) }}
"""
VERSIONS = """{{ cdc.history(feed='shop_mariadb', database='shop', table='orders', key=['id'], columns={'id': 'bigint'}) }}
{{ config(materialized='history_table') }}
"""
# What a run without new changes asks: dbt itself, then its hook, then the first gold models, of which two work at a time.
OF_EVERY_RUN = [
    "show databases",
    "show databases",
    "show table extended in gold",
    "show table extended in silver",
    "show table extended in bronze",
    # the folder in which Spark runs: bronze_path may be relative to it
    "select java_method(",
    "set spark.sql.codegen.factoryMode = NO_CODEGEN",
    "select feed, max_by(settings, recorded_at)",
    "select model, bronze_version, built_by",
    "describe history bronze.messages",
    "show tables in gold",
    "show tables in gold",
]
JOBS_OF_EVERY_RUN = 12
FEED = Feed(name="costly", format="canal_json")
LOADS, ROWS = 4, 20
LOADED = LOADS * ROWS


@pytest.fixture(scope="module")
def loaded(shop):
    """Four loads, each in a run of its own, and so in files of their own."""
    before = shop.feeds
    shop.add_feed("costly", format="canal_json", files="in/costly")
    shop.write_model("costs", MODEL)
    shop.write_model("orders_versions", VERSIONS)
    for load in range(LOADS):
        offsets = range(load * ROWS, (load + 1) * ROWS)
        shop.land(
            FEED, load, [canal_record("costs", n, "INSERT", row(n, "new"), n) for n in offsets]
        )
        shop.run("--select", "silver", "costs")
    # the other gold tables have read as far
    shop.run()
    yield shop
    shop.set_feeds(before)
    for model in ("costs", "orders_versions"):
        (shop.root / "models" / "gold" / f"{model}.sql").unlink()


def row(key, value):
    return {"id": str(key), "value": value}


def update(offset, now):
    return canal_record("costs", offset, "UPDATE", now, offset, old={"value": "new"})


class Work:
    """The statements of a run, and the files that Spark read for them, as its own metrics tell."""

    def __init__(self, spark: SparkSession, monkeypatch: pytest.MonkeyPatch):
        self.statements = []
        told = SparkSession.sql
        monkeypatch.setattr(
            SparkSession,
            "sql",
            lambda spark, query, *more, **named: (
                self.statements.append(query) or told(spark, query, *more, **named)
            ),
        )
        self.store = spark._jsparkSession.sharedState().statusStore()
        self.before = self._last()

    def _last(self) -> int:
        return max((one.executionId() for one in self._executions()), default=-1)

    def _executions(self) -> list:
        found = self.store.executionsList()
        return [found.apply(number) for number in range(found.size())]

    def files_read(self, table: str) -> list[int]:
        """Return how many files each scan of the table has read."""
        counts = []
        for one in self._executions():
            if one.executionId() <= self.before:
                continue
            values = self.store.executionMetrics(one.executionId())
            nodes = self.store.planGraph(one.executionId()).allNodes()
            for node in (nodes.apply(number) for number in range(nodes.size())):
                if not re.search(rf"^Scan .*\b{re.escape(table)}$", node.name().strip()):
                    continue
                metrics = node.metrics()
                for metric in (metrics.apply(number) for number in range(metrics.size())):
                    value = values.get(metric.accumulatorId())
                    if metric.name() == "number of files read" and value.isDefined():
                        counts.append(int(value.get().replace(",", "")))
        return counts


def test_a_run_reads_the_new_files_of_silver_and_writes_the_gold_files_of_changed_keys(
    loaded, monkeypatch
):
    silver = loaded.spark.table("silver.canal_json_changes")
    files = len(silver.inputFiles())
    gold_files = len(loaded.spark.table("gold.costs").inputFiles())
    assert files > LOADS <= gold_files
    change = update(LOADED, row(3, "changed"))
    loaded.land(FEED, LOADS, [change])
    work = Work(loaded.spark, monkeypatch)
    loaded.run()

    read = work.files_read("silver.canal_json_changes")
    assert read and max(read) == 1
    merge = loaded.sql("describe history gold.costs limit 1")[0]
    assert merge.operation == "MERGE"
    written = merge.operationMetrics
    assert (written["numTargetFilesRemoved"], written["numTargetRowsUpdated"]) == ("1", "1")
    assert int(written["numTargetRowsCopied"]) == ROWS - 1
    # a merge that only updates makes no commit to the state
    assert loaded.sql("select value from gold.costs where id = 3")[0].value == "changed"


def test_tables_without_news_cost_no_statement(loaded, monkeypatch):
    change = update(LOADED + 1, row(4, "changed"))
    loaded.land(FEED, LOADS + 1, [change])
    work = Work(loaded.spark, monkeypatch)
    before = loaded.versions()
    loaded.run()
    tables = "orders|orders_history|orders_versions|customers|stock|shipments"
    idle = re.compile(rf"\b(gold|state)\.`?({tables})\b|table_name = 'orders'")
    assert [text for text in work.statements if idle.search(text)] == []
    after = loaded.versions()
    assert {name for name in before if after[name] != before[name]} == {
        "silver.db/canal_json_changes",
        "silver.db/applied_versions",
        "gold.db/costs",
    }


def jobs(lakehouse):
    return lakehouse.spark.sparkContext._jsc.sc().dagScheduler().numTotalJobs()


def unlisted(sent, listed):
    """Return what was sent beside one statement of each form that is listed."""
    left = list(listed)
    beside = []
    for text in (" ".join(text.split()) for text in sent):
        form = next((form for form in left if text.startswith(form)), None)
        if form is None:
            beside.append(text)
        else:
            left.remove(form)
    return beside


def test_a_run_without_new_changes_asks_few_questions(loaded, monkeypatch):
    loaded.run()
    sent, before = statements(monkeypatch), jobs(loaded)
    loaded.run()
    started = jobs(loaded) - before
    assert unlisted(sent, OF_EVERY_RUN) == []
    assert started <= JOBS_OF_EVERY_RUN


def test_a_table_with_new_changes_costs_one_insert_one_merge_and_no_question(loaded, monkeypatch):
    loaded.land(
        FEED,
        LOADS + 2,
        [canal_record("costs", LOADED + 2, "DELETE", row(5, "new"), LOADED + 2)],
    )
    sent, before = statements(monkeypatch), jobs(loaded)
    loaded.run()
    started = jobs(loaded) - before
    of_a_batch = [
        # the new version of bronze: which feeds have records in it, and how many
        "select feed, max(_commit_version)",
        "describe extended silver.canal_json_changes",
        "insert into silver.canal_json_changes",
        # of new rows, once for each of two models that ask at one time
        "with new_changes as",
        "with new_changes as",
        "insert into state.costs",
        "merge into gold.costs",
        # the marks, again before they are written
        "select model, bronze_version, built_by",
        "insert overwrite silver.applied_versions",
    ]
    assert unlisted(sent, OF_EVERY_RUN + of_a_batch) == []
    assert started <= 60
    assert loaded.sql("select 1 from gold.costs where id = 5") == []
    assert counted_records(loaded) == loaded.spark.table("bronze.messages").count()


def counted_records(lakehouse):
    mark = lakehouse.sql("select built_by from silver.applied_versions where model = '#records'")
    return int(mark[0].built_by)


def test_partial_changes_ask_for_no_earlier_ones(loaded, monkeypatch):
    asked = []
    for number in (3, 4):
        offset = LOADED + number
        change = canal_record("costs", offset, "UPDATE", {"id": "6", "value": f"{offset}"}, offset)
        loaded.land(FEED, LOADS + number, [change])
        sent = statements(monkeypatch)
        loaded.run()
        asked += [text for text in sent if "as known" in text]
    assert loaded.sql("select value from gold.costs where id = 6")[0].value == f"{LOADED + 4}"
    assert asked == []
    # what brings none itself has to know whether the table has such rows
    offset = LOADED + 5
    loaded.land(FEED, LOADS + 5, [canal_record("costs", offset, "INSERT", row(999, "new"), offset)])
    sent = statements(monkeypatch)
    loaded.run()
    (question,) = (text for text in sent if "as known" in text)
    assert "moved keys" not in question


def test_epochs_are_asked_where_marks_of_the_order_are_new(loaded, monkeypatch):
    source = postgres_source("ordered", '["1", "1"]')
    record = debezium_record(0, "c", {"id": 1}, source)
    feed = Feed(name="ordered", format="debezium_json")
    loaded.add_feed(feed.name, format=feed.format, files="in/ordered")
    loaded.land(feed, 0, [record])
    sent = statements(monkeypatch)
    loaded.run()
    asked = [text for text in sent if is_question_of_epochs(text)]
    # two gold models may ask at one time
    assert len(asked) in (1, 2)
    loaded.run()
    assert [text for text in sent if is_question_of_epochs(text)] == asked


def is_question_of_epochs(text):
    return "silver.sequence_ranges" in text and "merge into" not in text and "as range," in text
