"""A copy of the project with a lakehouse of its own, in one Spark session for all tests here."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml
from dbt.artifacts.schemas.results import NodeStatus
from dbt.cli.main import dbtRunner, dbtRunnerResult

from ingestion.__main__ import main as ingestion
from ingestion.bronze.tables import append_messages, create_tables
from ingestion.config.feeds import Feed
from ingestion.spark.session import session
from tests.support.quiet_dbt import QUIET

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("macros", "models", "tests", "profiles", "seeds", "examples", "ingestion")
LAKEHOUSE = pytest.StashKey["Lakehouse"]()
RECORD = """
    topic string, topic_generation int, `partition` int, offset bigint, timestamp timestamp,
    timestamp_type int, headers array<struct<key: string, value: binary>>, key binary,
    value binary, load_error string"""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the modules that ask for the shop: without it each run of the others has a third of the tables."""
    of_shop = {item.path for item in items if "shop" in getattr(item, "fixturenames", ())}
    for item in items:
        if item.path in of_shop:
            item.add_marker(pytest.mark.shop)


def in_bytes(value: str | bytes | None) -> bytes | None:
    """A record's key or value as Kafka has it: text of most formats, bytes of Avro."""
    return value.encode() if isinstance(value, str) else value


class Lakehouse:
    """The copied project, and what a user does with it."""

    def __init__(self, root: Path):
        self.root = root
        self.written_by: dict[str, str] = {}
        for name in COPIED:
            ignored = shutil.ignore_patterns("__pycache__", "*.py", "build")
            shutil.copytree(ROOT / name, root / name, ignore=ignored if name == "tests" else None)
        for name in ("dbt_project.yml", "pyproject.toml", ".sqlfluff", ".sqlfluff-compiled"):
            shutil.copy(ROOT / name, root / name)
        (root / "profiles.yml").symlink_to("profiles/profiles.yml")
        (root / ".jars").symlink_to(ROOT / ".jars")
        self.first_feeds = self.feeds
        self.first_models = self.model_files()

    @property
    def feeds(self) -> dict:
        return yaml.safe_load((self.root / "dbt_project.yml").read_text())["vars"]["feeds"]

    def set_feeds(self, feeds: dict) -> None:
        path = self.root / "dbt_project.yml"
        project = yaml.safe_load(path.read_text())
        project["vars"]["feeds"] = feeds
        path.write_text(yaml.safe_dump(project, sort_keys=False))

    def add_feed(self, name: str, **settings: object) -> None:
        self.set_feeds(self.feeds | {name: settings})

    def drop_feed(self, name: str) -> None:
        self.set_feeds({key: value for key, value in self.feeds.items() if key != name})

    def write_model(self, name: str, text: str) -> None:
        """Write a gold model. Its table outlives the module of tests, so that no other module may have one of that name."""
        module = os.environ.get("PYTEST_CURRENT_TEST", "").partition("::")[0]
        owner = self.written_by.setdefault(name, module)
        assert owner == module, (
            f"gold.{name} is a table of {owner}: give that of {module} another name"
        )
        (self.root / "models" / "gold" / f"{name}.sql").write_text(text)

    def model_files(self) -> set[Path]:
        return {path for path in (self.root / "models").rglob("*") if path.is_file()}

    def forget_feeds_and_models(self) -> None:
        """Have the feeds and models of the repository alone; tables stay."""
        self.set_feeds(self.first_feeds)
        for path in self.model_files() - self.first_models:
            path.unlink()

    def load(self, *arguments: str) -> int:
        return ingestion(["load", *arguments, "--project-dir", str(self.root)])

    def land(self, feed: Feed, load: int, records: list[dict]) -> None:
        """Land captured records in bronze in one load, wherever their offsets lie."""
        rows = [
            {
                "topic": record["topic"],
                "topic_generation": record.get("topic_generation", 0),
                "partition": record["partition"],
                "offset": record["offset"],
                "timestamp": datetime.fromtimestamp(record["timestamp"] / 1000, UTC),
                "timestamp_type": 0,
                "headers": [
                    {"key": key, "value": value.encode()} for key, value in record["headers"]
                ],
                "key": in_bytes(record["key"]),
                "value": in_bytes(record["value"]),
                "load_error": None,
            }
            for record in records
        ]
        append_messages(
            self.spark.createDataFrame(rows, RECORD),
            str(self.root / "lakehouse" / "bronze"),
            feed,
            f"{load:03}",
            (feed.name, load),
        )

    def dbt(self, *arguments: str, said: list[str] | None = None) -> dbtRunnerResult:
        """Run dbt; what it would print is added to `said`."""
        os.chdir(self.root)
        where = ("--project-dir", str(self.root), "--profiles-dir", str(self.root))
        listeners = [] if said is None else [lambda event: said.append(event.info.msg)]
        return dbtRunner(callbacks=listeners).invoke([*arguments, *where, *QUIET])

    def statuses(self, outcome: dbtRunnerResult) -> dict[str, NodeStatus]:
        assert outcome.exception is None, outcome.exception
        return {
            result.node.name: result.status
            for result in outcome.result
            if result.node.resource_type not in ("operation", "exposure")
        }

    def run(self, *arguments: str) -> None:
        outcome = self.dbt("run", *arguments)
        assert outcome.success, outcome.exception or [
            (result.node.name, result.message)
            for result in outcome.result
            if result.status not in ("success", "pass", "warn")
        ]

    def sql(self, query: str) -> list:
        return self.spark.sql(query).collect()

    def lint_scripts(self, models: Iterable[str]) -> list[str]:
        """Return the scripts of the last runs, which stand in target/run in full; sqlfluff reads them raw."""
        (folder,) = (self.root / "target" / "run").glob("*/models/gold")
        scripts = [folder / f"{model}.sql" for model in models]
        sqlfluff = Path(sys.executable).with_name("sqlfluff")
        lint = subprocess.run(
            [sqlfluff, "lint", "--config", ".sqlfluff-compiled", *scripts],
            cwd=self.root,
            capture_output=True,
            text=True,
        )
        assert lint.returncode == 0, lint.stdout
        return [path.read_text() for path in scripts]

    def versions(self) -> dict[str, int]:
        """Return the Delta version of every table of the warehouse."""
        tables = (self.root / "lakehouse" / "warehouse").glob("*.db/*/_delta_log")
        return {
            f"{log.parent.parent.name}/{log.parent.name}": max(
                int(path.stem) for path in log.glob("*.json")
            )
            for log in tables
        }


@pytest.fixture(scope="session")
def lakehouse(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Lakehouse:
    copy = request.config.stash[LAKEHOUSE] = Lakehouse(tmp_path_factory.mktemp("project"))
    copy.spark = session(copy.root, hive=True)
    return copy


@pytest.fixture(scope="module", autouse=True)
def _nothing_of_this_module_stays(request: pytest.FixtureRequest) -> Iterator[None]:
    """A module ends with its feeds and models, also where it fails: those of other modules would fail with it."""
    yield
    if copy := request.config.stash.get(LAKEHOUSE, None):
        copy.forget_feeds_and_models()


@pytest.fixture(scope="session")
def shop(lakehouse: Lakehouse) -> Lakehouse:
    """The shop's records, loaded, built and tested."""
    assert lakehouse.load() == 0
    lakehouse.build = lakehouse.dbt("build")
    assert lakehouse.build.exception is None, lakehouse.build.exception
    return lakehouse


@pytest.fixture(scope="session")
def project(request: pytest.FixtureRequest, lakehouse: Lakehouse) -> Lakehouse:
    """The project for feeds and tables of a test's own: with the shop where another test of this session is of the shop,
    and then the shop is built first, in whatever order the tests run."""
    of_shop = any("shop" in getattr(item, "fixturenames", ()) for item in request.session.items)
    if of_shop:
        return request.getfixturevalue("shop")
    # as the loader makes them
    create_tables(lakehouse.spark, str(lakehouse.root / "lakehouse" / "bronze"))
    return lakehouse


@pytest.fixture
def damaged(shop: Lakehouse) -> Iterator[Callable[[str, str], None]]:
    """A way to damage tables; they are put back afterwards."""
    versions = {}

    def damage(table: str, statement: str) -> None:
        if table not in versions:
            versions[table] = shop.sql(f"describe history {table} limit 1")[0].version
        shop.sql(statement)

    yield damage
    for table, version in versions.items():
        shop.sql(f"restore table {table} to version as of {version}")
