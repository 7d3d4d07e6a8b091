"""The target `cluster`: the shop's tables built on a Spark Thrift server of its own process."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from deltalake import DeltaTable

from tests.formats.conftest import load_lines
from tests.pipeline.conftest import ROOT, Lakehouse
from tests.support.kafka_broker import free_port

BIN = Path(sys.executable).parent
EXPECTED = sorted((ROOT / "examples" / "shop" / "expected").glob("*.jsonl"))


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A copy of the project with loaded records, and a server that knows the copy's warehouse."""
    copy = Lakehouse(tmp_path_factory.mktemp("cluster"))
    load = [sys.executable, "-m", "ingestion", "load", "--project-dir", str(copy.root)]
    subprocess.run(load, check=True)
    copy.port = free_port()
    jars = sorted((copy.root / ".jars").glob("*.jar"))
    delta = [jar for jar in jars if jar.name.startswith(("delta-", "unitycatalog-"))]
    settings = {
        "spark.sql.warehouse.dir": copy.root / "lakehouse" / "warehouse",
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": 4,
        "spark.databricks.delta.snapshotPartitions": 2,
        "spark.hadoop.hive.server2.thrift.port": copy.port,
        "spark.ui.enabled": "false",
    }
    command = [
        *(BIN / "spark-submit", "--driver-memory", "3g", "--class"),
        "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2",
        *("--jars", ",".join(map(str, jars))),
        *("--driver-class-path", ":".join(map(str, delta))),
        *("--driver-java-options", "-Dderby.system.home=lakehouse -Duser.timezone=UTC"),
        *(word for setting in settings.items() for word in ("--conf", "{}={}".format(*setting))),
        "spark-internal",
    ]
    log = copy.root / "server.log"
    # spark-submit looks for the python that has pyspark
    path = {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    with log.open("wb") as output:
        server = subprocess.Popen(
            command, cwd=copy.root, env=os.environ | path, stdout=output, stderr=output
        )
    deadline = time.monotonic() + 180
    while "HiveThriftServer2 started" not in log.read_text():
        assert server.poll() is None and time.monotonic() < deadline, log.read_text()[-2000:]
        time.sleep(0.5)
    yield copy
    server.terminate()
    server.wait(timeout=60)


def start_dbt(copy, *arguments):
    ours = {"LAKEHOUSE_TARGET": "cluster", "LAKEHOUSE_THRIFT_PORT": str(copy.port)}
    return subprocess.Popen(
        [BIN / "dbt", "--no-use-colors", *arguments],
        cwd=copy.root,
        env=os.environ | ours,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def dbt(copy, *arguments):
    running = start_dbt(copy, *arguments)
    output, errors = running.communicate()
    return subprocess.CompletedProcess(running.args, running.returncode, output, errors)


@pytest.fixture(scope="module")
def built(served):
    done = dbt(served, "build")
    assert done.returncode == 0, done.stdout[-3000:]
    return served


def gold_table(copy, name):
    return DeltaTable(copy.root / "lakehouse" / "warehouse" / "gold.db" / name).to_pyarrow_table()


def rows_of_gold(copy):
    names = [path.stem.split(".")[1] for path in EXPECTED]
    return {name: sorted(map(str, gold_table(copy, name).to_pylist())) for name in names}


@pytest.mark.parametrize("path", EXPECTED, ids=lambda path: path.stem)
def test_gold_has_the_rows_of_the_source_table(built, path):
    table = path.stem.split(".")[1]
    assert gold_table(built, table).num_rows == len(load_lines(path))


def test_a_second_build_commits_nothing(built):
    versions = built.versions()
    assert dbt(built, "run").returncode == 0
    assert built.versions() == versions


def test_of_two_runs_at_once_one_fails_and_the_next_run_puts_gold_right(built):
    """Two full refreshes: the second forgets silver's marks while the first is at work."""
    before = rows_of_gold(built)
    first = start_dbt(built, "run", "--full-refresh", "--target-path", "target/first")
    for line in first.stdout:
        if "START sql change_log" in line:
            break
    second = start_dbt(built, "run", "--full-refresh", "--target-path", "target/second")
    said = [run.communicate()[0] for run in (first, second)]
    assert "ended while this one worked" in said[0] + said[1], said
    assert first.returncode or second.returncode
    again = dbt(built, "build")
    assert again.returncode == 0, again.stdout[-3000:]
    assert rows_of_gold(built) == before
    test_a_second_build_commits_nothing(built)


def test_a_server_in_ansi_mode_is_refused(built):
    profile = built.root / "profiles" / "profiles.yml"
    text = profile.read_text()
    profile.write_text(text.replace('ansi.enabled": "false"', 'ansi.enabled": "true"'))
    done = dbt(built, "run")
    profile.write_text(text)
    assert done.returncode != 0
    assert "Spark works in ANSI mode" in done.stdout
