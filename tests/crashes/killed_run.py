"""Loads and `dbt run`s in a process of its own, the last of which is killed before a statement that writes.

python -m tests.crashes.killed_run PROJECT [FILE ...]

After the first load and run, each FILE is handed in (moved to PROJECT/in), loaded and run in turn; `--full-refresh` in
place of a FILE is a run of this kind. The last run is killed before the statement that PROJECT/kill.json names, and
PROJECT/killed.json says so. Without kill.json every run gets through.
"""

import json
import os
import re
import signal
import sys
from pathlib import Path

from dbt.cli.main import dbtRunner
from pyspark.sql import SparkSession

from ingestion.__main__ import main as ingestion
from ingestion.spark.session import session
from tests.support.quiet_dbt import QUIET

WRITES = re.compile(r"(insert|merge|delete|update)\b", re.IGNORECASE)
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def named_write(query: str) -> str | None:
    """The name of a statement that writes: what it does, and to which table."""
    statement = COMMENT.sub("", query).strip()
    return " ".join(statement.replace("`", "").split()[:3]) if WRITES.match(statement) else None


def killed_before(root: Path) -> None:
    """Kill this process and its JVM in place of the statement that is named."""
    if not (root / "kill.json").exists():
        return
    wanted = json.loads((root / "kill.json").read_text())
    sql = SparkSession.sql

    def run(spark: SparkSession, query: str, *more: object, **given: object) -> object:
        if named_write(query) == wanted:
            (root / "killed.json").write_text(json.dumps(wanted))
            os.killpg(0, signal.SIGKILL)
        return sql(spark, query, *more, **given)

    SparkSession.sql = run


def load(root: Path, *files: str) -> bool:
    """Hand files in, and load what lies there."""
    for file in files:
        Path(file).rename(root / "in" / Path(file).name)
    return ingestion(["load", "--project-dir", str(root)]) == 0


def dbt(root: Path, *arguments: str) -> bool:
    where = ("--project-dir", str(root), "--profiles-dir", str(root))
    return dbtRunner().invoke([*arguments, *where, *QUIET]).success


def main(root: Path, *then: str) -> int:
    session(root, hive=True)
    for number, step in enumerate(["", *then]):
        options = [step] if step.startswith("--") else []
        if not load(root, *([step] if step and not options else [])):
            return 1
        if number == len(then):
            killed_before(root)
        if not dbt(root, "run", *options):
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:]))
