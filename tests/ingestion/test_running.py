"""dbt in this process: what breaks it off breaks off the command, and where its profile is found."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from ingestion.dbt.running import invoke_dbt, run_dbt
from ingestion.loader.load import stop_signals

PROFILE = """
webshop:
  target: embedded
  outputs: {embedded: {type: spark, method: session, schema: webshop, host: NA, threads: 2}}
"""
PROJECT = """
name: webshop
version: "1.0"
profile: webshop
flags: {send_anonymous_usage_stats: false}
"""
# of a century of work for Spark, which asks before each batch of rows whether it is to end
ENDLESS = "select count(*) as number from range(1000000000000000) where hash(id) = 3"
MODEL = f"{{{{ config(materialized='table', file_format='delta') }}}} {ENDLESS}"
MACRO = f"{{% macro endless() %}}{{% do run_query('{ENDLESS}') %}}{{% endmacro %}}"


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    before = Path.cwd()
    (tmp_path / "dbt_project.yml").write_text(PROJECT)
    (tmp_path / "profiles.yml").write_text(PROFILE)
    (tmp_path / "models").mkdir()
    (tmp_path / "macros").mkdir()
    (tmp_path / "models" / "one.sql").write_text("select 1 as id")
    yield tmp_path
    os.chdir(before)


def interrupt(_: object) -> None:
    signal.raise_signal(signal.SIGINT)


def test_ctrl_c_while_dbt_parses_breaks_off_the_command(folder: Path):
    with pytest.raises(KeyboardInterrupt):
        invoke_dbt(folder, ["parse"], interrupt)


def test_the_first_ctrl_c_of_a_follower_lets_dbt_end_and_the_second_breaks_off(folder: Path):
    with stop_signals() as stopping:
        first = [interrupt]
        assert invoke_dbt(folder, ["parse"], lambda event: first and first.pop()(event)).success
        assert stopping.is_set()
        with pytest.raises(KeyboardInterrupt):
            invoke_dbt(folder, ["parse"], interrupt)


def interrupt_a_statement(spark: SparkSession, over: threading.Event) -> None:
    """Send this process Ctrl-C as soon as Spark is at work, and end that work afterwards."""
    jobs = spark.sparkContext.statusTracker().getActiveJobsIds
    while not jobs():
        if over.wait(0.05):
            return
    os.kill(os.getpid(), signal.SIGINT)
    over.wait()
    spark.sparkContext.cancelAllJobs()
    while jobs():
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("path", "text", "command"),
    [
        # in a thread of dbt, and in this one
        ("models/endless.sql", MODEL, ["build"]),
        ("macros/endless.sql", MACRO, ["run-operation", "endless"]),
    ],
    ids=["model", "operation"],
)
def test_ctrl_c_while_spark_is_at_work_for_dbt_breaks_off_the_command(
    folder: Path,
    spark: SparkSession,
    capsys: pytest.CaptureFixture,
    path: str,
    text: str,
    command: list[str],
):
    (folder / path).write_text(text)
    over = threading.Event()
    interrupting = threading.Thread(target=interrupt_a_statement, args=(spark, over))
    interrupting.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            run_dbt(folder, *command)
    finally:
        over.set()
        interrupting.join()
        # Ctrl-C closed the connection to Java whose thread had the session: the next one must know it, or starts a Java of its own
        java_class = SparkSession._get_j_spark_session_class(spark._jvm)
        java_class.setActiveSession(spark._jsparkSession)
    assert "no message" not in capsys.readouterr().err


@pytest.mark.parametrize("where", ["the project", "DBT_PROFILES_DIR", "the home"])
def test_a_profile_is_found_where_dbt_alone_finds_it(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch, where: str
):
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    if where == "DBT_PROFILES_DIR":
        # it comes before that of the project
        (folder / "profiles.yml").rename(home / "profiles.yml")
        (folder / "profiles.yml").write_text(PROFILE.replace("webshop", "another"))
        monkeypatch.setenv(where, str(home))
    elif where == "the home":
        (home / ".dbt").mkdir()
        (folder / "profiles.yml").rename(home / ".dbt" / "profiles.yml")
    outcome = invoke_dbt(folder, ["parse"], lambda _: None)
    assert outcome.success, outcome.exception
