"""One Spark and one broker for all loader tests, and projects of their own for each."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from ingestion.bronze.tables import create_tables
from ingestion.spark.session import session
from tests.support.kafka_broker import KafkaBroker
from tests.support.project import Project, make_project
from tests.support.small_spark import INTERPRETED

PASSWORD = "s3cret-Pa55w0rd-of-the-broker"


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    home = make_project(tmp_path_factory.mktemp("spark"))
    before = Path.cwd()
    os.environ.setdefault("LAKEHOUSE_DRIVER_MEMORY", "2g")
    running = session(home.folder)
    # a test lands few records: making Java for them would take most of the time
    for name, value in INTERPRETED.items():
        running.conf.set(name, value)
    yield running
    os.chdir(before)


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaBroker]:
    folder = tmp_path_factory.mktemp("kafka")
    running = KafkaBroker(folder, credentials=("loader", PASSWORD))
    yield running
    running.stop()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def empty_bronze(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Path:
    """Tables without rows, which each test copies instead of making them again."""
    folder = tmp_path_factory.mktemp("empty") / "bronze"
    create_tables(spark, str(folder))
    return folder


@pytest.fixture
def project(tmp_path: Path, spark: SparkSession, empty_bronze: Path) -> Project:
    return make_project(tmp_path, spark, empty_bronze)
