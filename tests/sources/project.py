"""A copy of the project that loads and builds the producers' topics, by the commands that a user types."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

from ingestion.config.project_files import PROJECT_ROOT
from tests.sources.configurations import Configuration
from tests.sources.server import LOGS
from tests.sources.tables import Table
from tests.support.java import BRIEF

COPIED = ("macros", "models", "tests", "profiles", "seeds")


class Project:
    def __init__(self, folder: Path, servers: str, feeds: dict[str, dict]) -> None:
        self.folder = folder
        for name in COPIED:
            shutil.copytree(
                PROJECT_ROOT / name, folder / name, ignore=shutil.ignore_patterns("*.py", "gold")
            )
        shutil.copytree(PROJECT_ROOT / "macros" / "gold", folder / "macros" / "gold")
        (folder / "profiles.yml").symlink_to("profiles/profiles.yml")
        (folder / ".jars").symlink_to(PROJECT_ROOT / ".jars")
        project = yaml.safe_load((PROJECT_ROOT / "dbt_project.yml").read_text())
        project["vars"] |= {"kafka": {"bootstrap.servers": servers}, "feeds": feeds}
        (folder / "dbt_project.yml").write_text(yaml.safe_dump(project, sort_keys=False))

    def start(self, name: str, *command: str) -> subprocess.Popen:
        log = (LOGS / f"{name}.log").open("ab")
        return subprocess.Popen(
            [str(part) for part in command],
            cwd=self.folder,
            stdout=log,
            stderr=log,
            process_group=0,
            env=os.environ | {"JDK_JAVA_OPTIONS": BRIEF},
        )

    def start_ingestion(self, name: str, *arguments: str) -> subprocess.Popen:
        told = (name, *arguments, "--project-dir", self.folder)
        return self.start(name, sys.executable, "-m", "ingestion", *told)

    def start_load(self) -> subprocess.Popen:
        return self.start_ingestion("load")

    def start_dbt(self, *arguments: str) -> subprocess.Popen:
        dbt = Path(sys.executable).with_name("dbt")
        where = ("--project-dir", self.folder, "--profiles-dir", self.folder)
        return self.start("dbt", dbt, *arguments, *where)

    def load(self) -> None:
        _succeed(self.start_load(), "load")

    def dbt(self, *arguments: str) -> None:
        _succeed(self.start_dbt(*arguments), "dbt")

    def generate(self, feed: str, *tables: str) -> None:
        _succeed(self.start_ingestion("generate", feed, *tables), "generate")

    def write_model(
        self, configuration: Configuration, table: Table, place: dict[str, str]
    ) -> None:
        """Write the model of a table that has no key, or whose messages carry no types."""
        columns = {
            column.name: configuration.types.get(column.name, column.type)
            for column in table.columns
        }
        told = {"feed": configuration.name, **place, "table": table.name}
        if table.key:
            macro, told["key"], test = "current_state", list(table.key), "key_is_unique"
        else:
            macro, test = "current_rows", "every_row_is_counted"
        arguments = ", ".join(f"{name}={value!r}" for name, value in told.items())
        folder = self.folder / "models" / "gold" / configuration.name
        folder.mkdir(parents=True, exist_ok=True)
        name = f"{configuration.name}_{table.name}"
        model = {"name": name, "data_tests": [test]}
        (folder / f"{name}.yml").write_text(yaml.safe_dump({"version": 2, "models": [model]}))
        (folder / f"{name}.sql").write_text(
            f"{{{{ {macro}({arguments}, columns={columns!r}) }}}}\n"
        )

    def model(self, configuration: Configuration, table: str) -> str:
        """Return the name of the gold table of a source table."""
        (model,) = (self.folder / "models" / "gold" / configuration.name).glob(f"*{table}.sql")
        return model.stem

    def gold(self, configuration: Configuration, table: str) -> Path:
        """Return the folder of the gold table of a source table."""
        gold = self.folder / "lakehouse" / "warehouse" / "gold.db"
        return gold / self.model(configuration, table)


def _succeed(command: subprocess.Popen, log: str) -> None:
    assert command.wait(1800) == 0, (LOGS / f"{log}.log").read_text(errors="replace")[-5000:]
