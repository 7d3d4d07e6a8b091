"""Real databases, real producers, one broker; they start once for all tests here."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from tests.sources import faults, mariadb_workload, postgres_workload
from tests.sources.compare import Difference
from tests.sources.lakehouse import compare, make_project, write_models
from tests.sources.project import Project
from tests.sources.server import LOGS
from tests.sources.world import World

# `make test-long` sets both; the product reads less than 10,000 records twice as fast (macros/run/code_generation.sql)
SEED = os.environ.get("SOURCES_SEED", "1")
COUNT = int(os.environ.get("SOURCES_TRANSACTIONS", "30"))


@dataclass(frozen=True)
class Built:
    """Gold as one run left it, and where it differed from the sources then."""

    world: World
    project: Project
    differences: dict[tuple[str, str], list[Difference]]

    @property
    def bronze(self) -> Path:
        return self.project.folder / "lakehouse" / "bronze"


@pytest.fixture(scope="session")
def world() -> Iterator[World]:
    shutil.rmtree(LOGS, ignore_errors=True)
    # not pytest's own folder, which only its user may enter: databases run as users of their own
    folder = Path(tempfile.mkdtemp(prefix="cdc-sources-"))
    folder.chmod(0o755)
    running = World(folder, SEED)
    try:
        yield running
    finally:
        running.stop()
        for log in (*folder.glob("kafka/*.log"), *folder.glob("project/lakehouse/logs/*.log")):
            shutil.copy(log, LOGS / f"{log.parent.name}_{log.name}")
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def built(world: World) -> Built:
    """Everything has been captured, loaded and built once."""
    world.start()
    world.shops["canal"].run(mariadb_workload.LATE)
    world.work(
        postgres_workload.streams(SEED, COUNT),
        partial(mariadb_workload.streams, SEED, COUNT),
    )
    world.drain()
    project = make_project(world.folder / "project", world)
    project.load()
    project.dbt("run", "--select", "silver")
    write_models(project)
    project.dbt("run")
    return Built(world, project, compare(world, project))


@pytest.fixture(scope="session")
def recovered(built: Built) -> Built:
    """Everything was struck, has caught up and was loaded and built by commands that were killed first."""
    world, project = built.world, built.project
    # each of these comes twice
    faults.strike(world, COUNT // 5)
    faults.kill_in_the_middle(project.start_load, faults.commits_of(project, "bronze/messages"))
    project.load()
    gold = faults.commits_of(project, "warehouse/gold.db")
    faults.kill_in_the_middle(lambda: project.start_dbt("run"), gold)
    project.dbt("run")
    return Built(world, project, compare(world, project))
