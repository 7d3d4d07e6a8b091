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
from ingestion.session import session

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


def load_and_run(root: Path, is_last: bool, *arguments: str) -> int:
    """Load what was handed in, and run dbt over it, which is killed in the last of the runs."""
    loaded = ingestion(["load", "--project-dir", str(root)])
    if loaded != 0:
        return loaded
    if is_last:
        killed_before(root)
    where = ("--project-dir", str(root), "--profiles-dir", str(root))
    run = dbtRunner().invoke(["run", *arguments, *where, "--log-level", "none"])
    return 0 if run.success else 1


def main(root: Path, *then: str) -> int:
    session(root, hive=True)
    for number, step in enumerate(["", *then]):
        arguments = [step] if step.startswith("--") else []
        if step and not arguments:
            Path(step).rename(root / "in" / Path(step).name)
        code = load_and_run(root, number == len(then), *arguments)
        if code != 0:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:]))
