"""A project folder of a test's own: its feeds, its bronze, the commands run in it."""

import contextlib
import io
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml
from pyspark.sql import SparkSession

from ingestion.__main__ import main
from ingestion.bronze.feeds import check_feeds
from ingestion.bronze.tables import create_tables
from ingestion.config.feeds import read_config
from ingestion.config.project_files import PROJECT_ROOT
from ingestion.loader.follow import follow
from ingestion.loader.load import load_once
from ingestion.spark.jars import fetch_spark_jars
from tests.support.java import BRIEF

COORDINATES = ("topic", "topic_generation", "partition", "offset")


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Project:
    folder: Path
    spark: SparkSession | None = None

    def configure(self, feeds: dict, servers: str | None = None, **kafka: object) -> None:
        if servers:
            kafka = {"bootstrap.servers": servers, **kafka}
        text = yaml.safe_dump({"vars": {"kafka": kafka, "feeds": feeds}}, sort_keys=False)
        (self.folder / "dbt_project.yml").write_text(text)

    def command(self, name: str, *arguments: str) -> Result:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main([name, "--project-dir", str(self.folder), *arguments])
        return Result(code, out.getvalue(), err.getvalue())

    def load(self, *arguments: str) -> Result:
        return self.command("load", *arguments)

    def load_unattended(self) -> int:
        """Load what there is now outside the main thread, where there are no signals."""
        config = read_config(self.folder)
        feeds = list(config.feeds.values())
        create_tables(self.spark, config.bronze)
        check_feeds(self.spark, config, [])
        return load_once(self.spark, config, feeds, False, threading.Event())

    def start_load(self, *arguments: str, **environment: str) -> subprocess.Popen:
        """Start the loader as the user does, in a process of its own."""
        command = [sys.executable, "-m", "ingestion", "load", "--project-dir", str(self.folder)]
        settings = {"LAKEHOUSE_DRIVER_MEMORY": "1g", "JDK_JAVA_OPTIONS": BRIEF}
        return subprocess.Popen(
            [*command, *arguments],
            cwd=PROJECT_ROOT,
            env=os.environ | settings | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    @contextlib.contextmanager
    def following(self, interval: float = 0.3) -> Iterator[list[int]]:
        """Load in the background with --follow; the exit code is in the list at the end."""
        config = read_config(self.folder)
        feeds = list(config.feeds.values())
        create_tables(self.spark, config.bronze)
        check_feeds(self.spark, config, [])
        stopping, codes = threading.Event(), []

        def run() -> None:
            codes.append(follow(self.spark, config, feeds, False, interval, stopping))

        thread = threading.Thread(target=run)
        thread.start()
        try:
            yield codes
        finally:
            stopping.set()
            thread.join(120)
            assert codes, "the follower did not stop"

    def table(self, name: str) -> list[dict]:
        path = str(self.folder / "lakehouse" / "bronze" / name)
        return self.spark.read.format("delta").load(path).toArrow().to_pylist()

    def messages(self, **where: object) -> list[dict]:
        """Return the landed records in the form of a consumer's, sorted by coordinates."""
        rows = [row for row in self.table("messages") if where.items() <= row.items()]
        for row in rows:
            if row["timestamp"] is not None:
                row["timestamp"] = round(row["timestamp"].timestamp() * 1000)
            if row["headers"] is not None:
                row["headers"] = [(one["key"], one["value"]) for one in row["headers"]]
        return sorted(rows, key=lambda row: tuple(row[name] for name in COORDINATES))

    def coordinates(self) -> list[tuple]:
        return [tuple(row[name] for name in COORDINATES) for row in self.messages()]


def make_project(
    folder: Path, spark: SparkSession | None = None, empty_bronze: Path | None = None
) -> Project:
    """Return a project that shares everything with the real one but feeds and data."""
    fetch_spark_jars()
    for name in (".jars", "profiles", "macros", "seeds"):
        (folder / name).symlink_to(PROJECT_ROOT / name)
    if empty_bronze is not None:
        shutil.copytree(empty_bronze, folder / "lakehouse" / "bronze")
    return Project(folder, spark)
