"""Runs that are killed, doubled or started with other settings."""

import os
import signal
import subprocess
import sys
import time

import pytest
import yaml

from ingestion.__main__ import main as ingestion
from tests.pipeline.conftest import ROOT, Lakehouse
from tests.pipeline.shop_records import content

COMMAND = [sys.executable, "-m", "ingestion"]
TABLES = ("stock", "shipments", "orders", "carts")


def start(root, *arguments):
    return subprocess.Popen(
        [*COMMAND, *arguments, "--project-dir", str(root)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | {"LAKEHOUSE_DRIVER_MEMORY": "2g"},
    )


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """A project whose first run is killed in silver and whose second is killed in gold."""
    copy = Lakehouse(tmp_path_factory.mktemp("killed"))
    for model in (copy.root / "models" / "gold" / "shop").glob("*.sql"):
        if model.stem not in TABLES:
            model.unlink()
    path = copy.root / "models" / "gold" / "_gold__models.yml"
    listed = yaml.safe_load(path.read_text())
    listed["models"] = [model for model in listed["models"] if model["name"] in TABLES]
    path.write_text(yaml.safe_dump(listed))
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
    # what the killed runs left behind is right again: read without Spark's catalogue of that project
    for table in TABLES:
        place = killed.root / "lakehouse" / "warehouse" / "gold.db" / table
        shop.sql(
            f"create or replace temporary view repaired_{table} as select * from delta.`{place}`"
        )
        columns = [name for name in shop.spark.table(f"gold.{table}").columns if name != "_change"]
        query = "select to_json(struct({}, _change.row_key, _change.sequence)) from {}"
        listed = ", ".join(f"`{name}`" for name in columns)
        repaired = shop.sql(query.format(listed, f"repaired_{table}"))
        assert sorted(row[0] for row in repaired) == sorted(
            row[0] for row in shop.sql(query.format(listed, f"gold.{table}"))
        ), table
    silver = killed.root / "lakehouse" / "warehouse" / "silver.db" / "canal_json_changes"
    doubled = shop.sql(
        f"select topic, offset, row_index from delta.`{silver}` group by all having count(*) > 1"
    )
    assert doubled == []


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


def test_unknown_messages_are_parsed_again_by_one_command(shop):
    shop.sql(
        "update silver.canal_json_changes set operation = 'unknown', error = 'a macro did not know better',"
        " row_key = null where feed = 'shop_mariadb' and table_name = 'carts' and operation = 'update'"
    )
    before = content(shop, "carts", True)
    code = ingestion(["reparse", "shop_mariadb", "--unknown", "--project-dir", str(shop.root)])
    assert code == 0
    left = shop.sql(
        "select count(*) from silver.canal_json_changes"
        " where feed = 'shop_mariadb' and operation = 'unknown'"
    )
    assert left[0][0] == 1
    assert content(shop, "carts", True) == before


def test_a_feed_that_carries_another_format_is_told_its_name(shop):
    feeds = shop.feeds
    try:
        shop.add_feed("mistaken", format="canal_json", files="examples/shop/records/postgres.jsonl")
        assert shop.load("mistaken") == 0
        shop.run("--select", "silver")
        errors = shop.sql(
            "select distinct error from silver.unknown_messages where feed = 'mistaken'"
        )
        assert any("this looks like debezium_json" in row.error for row in errors)
    finally:
        shop.set_feeds(feeds)
