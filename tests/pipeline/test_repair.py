"""Runs that are killed, doubled or started with other settings."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import pytest
from pyspark.sql import SparkSession

from ingestion.__main__ import main as ingestion
from ingestion.bronze.feeds import record_feed
from ingestion.cli import rebuild
from ingestion.config.feeds import Feed
from tests.pipeline.conftest import ROOT
from tests.pipeline.shop_records import (
    canal_record,
    content,
    project_of_tables,
    records_of,
)
from tests.support.java import BRIEF

COMMAND = [sys.executable, "-m", "ingestion"]
# `make test-long` sets it
KILLS = int(os.environ.get("KILLS", "0"))
TABLES = ("stock", "shipments", "orders", "carts")


PLAIN = [sys.executable, "-m", "dbt.cli.main"]


def start(root, *arguments, command=COMMAND):
    return subprocess.Popen(
        [*command, *arguments, "--project-dir", str(root)],
        cwd=root if command == PLAIN else ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ
        | {
            "LAKEHOUSE_DRIVER_MEMORY": "2g",
            # a killed Java leaves its temporary files: here they go with the project
            "JDK_JAVA_OPTIONS": f"{BRIEF} -Djava.io.tmpdir={root}",
        },
    )


def same_as_shop(shop, root, table):
    """Are the gold rows of another project the shop's? Read without Spark's catalogue of that project."""
    place = root / "lakehouse" / "warehouse" / "gold.db" / table
    shop.sql(f"create or replace temporary view repaired_{table} as select * from delta.`{place}`")
    columns = [name for name in shop.spark.table(f"gold.{table}").columns if name != "_change"]
    query = "select to_json(struct({}, _change.row_key, _change.sequence)) from {}"
    listed = ", ".join(f"`{name}`" for name in columns)
    repaired = shop.sql(query.format(listed, f"repaired_{table}"))
    return sorted(row[0] for row in repaired) == sorted(
        row[0] for row in shop.sql(query.format(listed, f"gold.{table}"))
    )


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """A project whose first run is killed in silver and whose second is killed in gold."""
    copy = project_of_tables(tmp_path_factory.mktemp("killed"), TABLES)
    warehouse = copy.root / "lakehouse" / "warehouse"
    for place in ("silver.db/canal_json_changes/_delta_log", "gold.db/orders/_delta_log"):
        run = start(copy.root, "run")
        deadline = time.monotonic() + 240
        while not (warehouse / place).exists() and time.monotonic() < deadline:
            assert run.poll() is None, run.communicate()
            time.sleep(0.05)
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
    return copy


@pytest.mark.long
def test_a_second_command_is_refused_and_a_killed_run_is_repaired(killed, shop):
    run = start(killed.root, "run")
    lock = killed.root / "lakehouse" / "locks" / "metastore.lock"
    deadline = time.monotonic() + 240
    while lock.read_text() != str(run.pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    second = start(killed.root, "run")
    _, complaint = second.communicate(timeout=240)
    assert second.returncode == 6, complaint
    assert "in use by another process" in complaint
    output, errors = run.communicate(timeout=400)
    assert run.returncode == 0, (output, errors)
    # what the killed runs left behind is right again
    assert [table for table in TABLES if not same_as_shop(shop, killed.root, table)] == []
    silver = killed.root / "lakehouse" / "warehouse" / "silver.db" / "canal_json_changes"
    doubled = shop.sql(
        f"select topic, offset, row_index from delta.`{silver}` group by all having count(*) > 1"
    )
    assert doubled == []


@pytest.mark.long
def test_plain_dbt_beside_another_process_fails_and_touches_no_table(shop):
    """The session of these tests is the other one."""
    before = shop.versions()
    told = ("--full-refresh", "--profiles-dir", str(shop.root), "--target-path", "target/beside")
    run = start(shop.root, "run", *told, command=PLAIN)
    output, errors = run.communicate(timeout=240)
    assert run.returncode != 0, (output, errors)
    assert "SessionHiveMetaStoreClient" in output + errors
    assert shop.versions() == before


def test_gold_that_two_runs_worked_on_is_made_anew_by_the_next(shop, monkeypatch):
    """Only a server lets a second run in (tests/cluster): here one statement leaves what its end would."""
    rows, builds = content(shop, "orders"), builds_of_orders(shop)
    marks, of_orders = "silver.applied_versions", "model = 'orders'"
    sql = SparkSession.sql

    def beside_another(spark, query, *told, **named):
        done = sql(spark, query, *told, **named)
        if "create or replace table gold.orders" in query:
            sql(spark, f"update {marks} set bronze_version = bronze_version - 1 where {of_orders}")
        return done

    with monkeypatch.context() as patched:
        patched.setattr(SparkSession, "sql", beside_another)
        outcome = shop.dbt("run", "--full-refresh", "--select", "orders")
    assert "builds it again: orders." in str(outcome.exception)
    assert shop.sql(f"select * from {marks} where {of_orders}") == []
    shop.run()
    assert content(shop, "orders") == rows
    assert builds_of_orders(shop) == builds + 2


def builds_of_orders(shop):
    history = shop.spark.sql("describe history gold.orders")
    return history.where("operation like 'CREATE OR REPLACE%'").count()


@pytest.mark.long
@pytest.mark.skipif(KILLS == 0, reason="`make test-long` asks for it")
def test_runs_killed_at_random_moments_are_repaired_by_the_next(tmp_path, shop):
    """Each run finds new records; the last one is let through."""
    copy = project_of_tables(tmp_path, TABLES)
    feeds = copy.feeds
    for feed in ("shop_mariadb", "shop_postgres"):
        feeds[feed] |= {"files": f"in/{feed}"}
        (tmp_path / "in" / feed).mkdir(parents=True)
    copy.set_feeds(feeds)
    seed = int(os.environ.get("CASES_SEED", "1"))
    dice, longest, killed_runs = random.Random(seed), 60.0, 0
    for number in range(KILLS + 1):
        for source in ("mariadb", "postgres"):
            records = records_of(source)
            share = records[
                number * len(records) // (KILLS + 1) : (number + 1) * len(records) // (KILLS + 1)
            ]
            lines = "".join(json.dumps(record) + "\n" for record in share)
            path = tmp_path / "in" / f"shop_{source}" / f"{number:02}.jsonl"
            path.write_text(lines)
        began = time.monotonic()
        run = start(tmp_path, "run")
        try:
            # the first one shows how long a run takes, the last one makes good what the others left
            run.communicate(
                timeout=None if number in (0, KILLS) else dice.uniform(0.2, 1) * longest
            )
            assert run.returncode == 0
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            run.communicate()
            killed_runs += 1
        if number == 0:
            longest = time.monotonic() - began
    assert killed_runs > KILLS // 2
    assert [table for table in TABLES if not same_as_shop(shop, tmp_path, table)] == [], seed


def test_changed_settings_are_refused_until_the_feed_is_rebuilt(shop, capsys):
    feeds = shop.feeds
    keyed = {"shop.orders": ["id", "customer_id"]}
    try:
        shop.set_feeds(feeds | {"shop_mariadb": feeds["shop_mariadb"] | {"key_columns": keyed}})
        assert shop.load() == 5
        assert "rebuild shop_mariadb" in capsys.readouterr().err
        refused = shop.dbt("run")
        assert not refused.success
        assert "rebuild shop_mariadb" in str(refused.exception or refused.result)
    finally:
        shop.set_feeds(feeds)
    assert shop.dbt("run", "--select", "orders").success


def test_the_database_that_gold_is_compared_with_may_change(shop):
    """It says nothing of what records mean."""
    feeds = shop.feeds
    source = {"url": "jdbc:mariadb://127.0.0.1:3306/", "user": "reader", "password": "${READER}"}
    changed = feeds["shop_mariadb"] | {"source": source}
    try:
        shop.set_feeds(feeds | {"shop_mariadb": changed})
        assert shop.dbt("run", "--select", "orders").success
    finally:
        shop.set_feeds(feeds)


VERSIONS = """{{ cdc.history(feed='shop_mariadb', database='shop', table='carts', key=['id'], columns={'id': 'bigint'}) }}
{{ config(materialized='history_table') }}
"""


@pytest.mark.long
def test_unknown_messages_are_parsed_again_by_one_command(shop):
    shop.sql(
        "update silver.canal_json_changes set operation = 'unknown', error = 'a macro did not know better',"
        " row_key = null where feed = 'shop_mariadb' and table_name = 'carts' and operation = 'update'"
    )
    before = content(shop, "carts")
    shop.write_model("carts_versions", VERSIONS)
    shop.run("--select", "carts_versions")
    updates = "select 1 from gold.carts_versions where operation = 'update' limit 1"
    assert shop.sql(updates) == []
    code = ingestion(["reparse", "shop_mariadb", "--unknown", "--project-dir", str(shop.root)])
    assert code == 0
    left = shop.sql(
        "select count(*) from silver.canal_json_changes"
        " where feed = 'shop_mariadb' and operation = 'unknown'"
    )
    assert left[0][0] == 1
    assert content(shop, "carts") == before
    assert shop.sql(updates) != []
    (shop.root / "models" / "gold" / "carts_versions.sql").unlink()
    # killed in between, it has gold made anew all the same
    history = shop.sql("describe history silver.applied_versions")
    forgotten = next(commit.timestamp for commit in history if commit.operation == "DELETE")
    assert forgotten < shop.sql("describe history silver.canal_json_changes limit 1")[0].timestamp


def test_a_feed_that_carries_another_format_is_told_its_name(project):
    feeds = project.feeds
    try:
        project.add_feed(
            "mistaken", format="canal_json", files="examples/shop/records/postgres.jsonl"
        )
        assert project.load("mistaken") == 0
        project.run("--select", "silver")
        errors = project.sql(
            "select distinct error from silver.unknown_messages where feed = 'mistaken'"
        )
        assert any("this looks like debezium_json" in row.error for row in errors)
    finally:
        project.set_feeds(feeds)


TRIMMED = "feed, offset, row_index, operation, bronze_version"


def land_records(project, name, *offsets):
    """Land records of a feed of Maxwell, without a word to dbt."""
    message = {"database": "shop", "table": "t", "type": "insert", "ts": 1, "data": {"id": 1}}
    records = [
        {
            "topic": "maxwell",
            "partition": 0,
            "offset": offset,
            "timestamp": 1000,
            "headers": [],
            "key": None,
            "value": json.dumps(message),
        }
        for offset in offsets
    ]
    feed = Feed(name=name, format="maxwell", files=(f"in/{name}",))
    record_feed(project.spark, str(project.root / "lakehouse" / "bronze"), feed)
    project.land(feed, offsets[0], records)


def build_two_records(project, name):
    """Build silver of a feed of two records; its format has a silver table of its own."""
    project.add_feed(name, format="maxwell", files=f"in/{name}")
    land_records(project, name, 0, 1)
    project.run("--select", "silver")


def declare_key(project, name):
    feeds = project.feeds
    project.set_feeds(feeds | {name: feeds[name] | {"key_columns": {"shop.t": ["id"]}}})


@pytest.fixture
def one_more_format(project):
    before = project.feeds
    yield project
    project.set_feeds(before)
    project.sql("drop table silver.maxwell_changes")
    # the view over all formats had it, and gold has not read what these runs brought to silver
    project.run()


@pytest.mark.long
def test_rows_of_a_feed_leave_the_table_of_the_format_that_it_had(one_more_format):
    project = one_more_format
    build_two_records(project, "stays")
    build_two_records(project, "changes_format")
    feeds = project.feeds
    # its records are read anew, as what they are not
    project.set_feeds(
        feeds | {"changes_format": feeds["changes_format"] | {"format": "canal_json"}}
    )
    told = ("run-operation", "forget_silver", "--args", "{feed: changes_format}")
    assert project.dbt(*told).success
    bronze = str(project.root / "lakehouse" / "bronze")
    feed = Feed(name="changes_format", format="canal_json", files=("in/changes_format",))
    record_feed(project.spark, bronze, feed)
    project.run("--select", "silver")
    counted = project.sql(
        "select feed, count(*) as rows from silver.maxwell_changes"
        " where feed in ('stays', 'changes_format') group by feed"
    )
    assert [(row.feed, row.rows) for row in counted] == [("stays", 2)]
    conserved = project.dbt("test", "--select", "every_record_is_in_silver")
    assert project.statuses(conserved) == {"every_record_is_in_silver": "pass"}


@pytest.mark.long
def test_records_that_runs_without_their_feed_passed_over_are_asked_for(one_more_format):
    project = one_more_format
    silver = ("run", "--select", "silver")
    offsets = "select offset from silver.maxwell_changes where feed = 'is_away' order by offset"

    def comes_back(feeds):
        """It is refused until it is parsed again."""
        project.set_feeds(feeds)
        refused = project.dbt(*silver)
        assert "run `python -m ingestion reparse is_away`" in str(refused.exception)
        assert ingestion(["reparse", "is_away", "--project-dir", str(project.root)]) == 0
        project.run("--select", "silver")
        return [row.offset for row in project.sql(offsets)]

    # before dbt knows of the feed
    land_records(project, "is_away", 0, 1)
    project.run("--select", "silver")
    build_two_records(project, "stays_here")
    known = "select feed from silver.source_tables where feed in ('is_away', 'stays_here')"
    assert [row.feed for row in project.sql(known)] == ["stays_here"]
    project.add_feed("is_away", format="maxwell", files="in/is_away")
    with_both = project.feeds
    assert comes_back(with_both) == [0, 1]

    land_records(project, "is_away", 2)
    project.drop_feed("is_away")
    project.run("--select", "silver")
    assert comes_back(with_both) == [0, 1, 2]

    project.drop_feed("is_away")
    project.run("--select", "maxwell_changes", "--full-refresh")
    assert comes_back(with_both) == [0, 1, 2]
    assert sorted(row.feed for row in project.sql(known)) == ["is_away", "stays_here"]


@pytest.mark.long
def test_the_first_table_of_a_format_is_read_by_those_that_had_come_to_its_records(project):
    """Its feed was away while they went on, and nothing new has come since."""
    before = project.feeds
    feed = Feed(name="late", format="canal_json_dts", files=("in/late",))
    project.land(feed, 0, [canal_record("late", 0, "INSERT", {"id": "1"}, 1000)])
    project.run("--select", "silver")
    project.add_feed("late", format="canal_json_dts", files="in/late")
    project.run("--select", "silver")
    found = "select table_name from silver.source_tables where feed = 'late'"
    assert [row.table_name for row in project.sql(found)] == ["late"]
    # what the run without the feed has noted of it is settled
    project.run("--select", "silver")
    project.set_feeds(before)
    project.sql("drop table silver.canal_json_dts_changes")
    project.run()


@pytest.fixture
def trimmed(one_more_format):
    """Bronze has lost the first of two records."""
    project = one_more_format
    build_two_records(project, "trimmed")
    project.sql("alter table bronze.messages set tblproperties (delta.appendOnly = false)")
    project.sql("delete from bronze.messages where feed = 'trimmed' and offset = 0")
    project.sql("alter table bronze.messages set tblproperties (delta.appendOnly = true)")
    return project


@pytest.mark.long
def test_what_bronze_has_lost_stays_in_silver_until_someone_lets_it_go(trimmed, capsys):
    project = trimmed
    rows = f"select {TRIMMED} from silver.maxwell_changes where feed = 'trimmed' order by all"
    before = project.sql(rows)
    assert len(before) == 2
    project.run("--select", "silver")
    assert project.sql(rows) == before

    conserved = ("test", "--select", "every_record_is_in_silver")
    conserved += ("--vars", "check_all_history: true")
    assert set(project.statuses(project.dbt(*conserved)).values()) == {"pass"}
    changes = "silver.maxwell_changes"
    row = project.spark.table(changes).where("feed = 'trimmed' and offset = 1")
    row.selectExpr("* except (offset)", "offset + 8 as offset").writeTo(changes).append()
    assert set(project.statuses(project.dbt(*conserved)).values()) == {"fail"}
    project.sql(f"delete from {changes} where feed = 'trimmed' and offset = 9")

    refused = project.dbt("run", "--full-refresh", "--select", "maxwell_changes")
    complaint = str(refused.exception)
    assert "bronze no longer holds 1 of the records" in complaint
    assert "feed trimmed, topic maxwell, partition 0, offsets 0 to 0" in complaint
    assert ingestion(["reparse", "trimmed", "--project-dir", str(project.root)]) != 0
    assert project.sql(rows) == before

    # a rebuild that is refused has not accepted the settings either
    feeds = project.feeds
    declare_key(project, "trimmed")
    capsys.readouterr()
    assert ingestion(["rebuild", "trimmed", "--project-dir", str(project.root)]) == 8
    assert "bronze no longer holds 1 of the records" in capsys.readouterr().err
    still_refused = project.dbt("run", "--select", "maxwell_changes")
    assert "rebuild trimmed" in str(still_refused.exception or still_refused.result)
    project.set_feeds(feeds)
    project.run("--select", "maxwell_changes")
    assert project.sql(rows) == before

    project.sql("drop table silver.maxwell_changes")
    project.run("--select", "maxwell_changes")
    assert [row.offset for row in project.sql(rows)] == [1]


def test_a_killed_rebuild_is_finished_by_the_next_run(one_more_format, monkeypatch):
    project = one_more_format
    build_two_records(project, "killed")
    keys = "select distinct row_key from silver.maxwell_changes where feed = 'killed'"
    assert [row.row_key for row in project.sql(keys)] == [None]
    declare_key(project, "killed")

    def killed_before_it_builds(folder, command, *arguments):
        if command != "run-operation":
            raise KeyboardInterrupt
        return run_dbt(folder, command, *arguments)

    run_dbt = rebuild.run_dbt
    monkeypatch.setattr(rebuild, "run_dbt", killed_before_it_builds)
    assert ingestion(["rebuild", "killed", "--project-dir", str(project.root)]) == 130
    project.run("--select", "silver")
    assert [row.row_key for row in project.sql(keys)] == [["1"]]


def refusal(outcome):
    """What dbt said when it refused to begin."""
    assert not outcome.success
    return str(outcome.exception or outcome.result)


def test_another_bronze_with_as_many_versions_is_refused(shop):
    """An older copy that has grown as far as silver has read: its last version is another load."""
    mark = "from silver.applied_versions where model = '#bronze'"
    ((version, load),) = shop.sql(f"select bronze_version, built_by {mark}")
    loads = [row for row in shop.sql("describe history bronze.messages") if row["userMetadata"]]
    assert load == next(row["userMetadata"] for row in loads if row["version"] <= version)
    shop.sql("update silver.applied_versions set built_by = 'lost' where model = '#bronze'")
    other = f"ends with the load {load}, and it was lost"
    try:
        assert other in refusal(shop.dbt("run", "--select", "orders"))
        # of one table: silver is still of the other bronze
        shop.run("--full-refresh", "--select", "orders")
        assert other in refusal(shop.dbt("run", "--select", "orders"))
    finally:
        shop.sql(f"update silver.applied_versions set built_by = '{load}' where model = '#bronze'")
    shop.run("--select", "orders")


def test_an_older_bronze_is_refused(shop):
    """Its versions are fewer than silver has read, so that nothing in it would seem new."""
    ahead = "update silver.applied_versions set bronze_version = bronze_version {} 1000 where model = 'orders'"
    shop.sql(ahead.format("+"))
    try:
        assert "bronze was created again" in refusal(shop.dbt("run", "--select", "orders"))
    finally:
        shop.sql(ahead.format("-"))
    shop.run("--select", "orders")


def test_bronze_that_spark_knows_in_another_folder_is_refused_until_a_command(shop, tmp_path):
    """The loader would write to one folder, and nothing new would be in the other."""
    bronze = shop.root / "lakehouse" / "bronze"
    shutil.copytree(bronze / "messages", tmp_path / "messages")
    shop.sql("drop table bronze.messages")
    shop.sql(f"create table bronze.messages using delta location '{tmp_path}/messages'")
    said = refusal(shop.dbt("run", "--select", "orders"))
    assert f"Spark knows bronze.messages in file:{tmp_path}/messages" in said
    assert shop.dbt("run-operation", "move_bronze").success
    (table,) = shop.sql("describe detail bronze.messages")
    assert table.location == f"file:{bronze}/messages"
    shop.run("--select", "orders")


def test_a_run_that_leaves_out_a_part_of_its_input_is_refused(shop):
    assert "dbt works with --empty" in refusal(shop.dbt("run", "--empty", "--select", "orders"))
