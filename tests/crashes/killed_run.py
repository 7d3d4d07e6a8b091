"""A load and a `dbt run` in a process of its own, which is killed before a statement that writes.

python -m tests.crashes.killed_run PROJECT

PROJECT/killed.json lists the statements before which runs were killed: this one is before the first that it
does not list, and lists it. Without the file the run gets through.
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


def killed_before_another(told: Path) -> None:
    """Kill this process and its JVM in place of the first statement that is not told of, and tell of it."""
    killed = json.loads(told.read_text())
    sql = SparkSession.sql

    def run(spark: SparkSession, query: str, *more: object, **named: object) -> object:
        statement = COMMENT.sub("", query).strip()
        name = " ".join(statement.split()[:3])
        if WRITES.match(statement) and name not in killed:
            told.write_text(json.dumps([*killed, name]))
            os.killpg(0, signal.SIGKILL)
        return sql(spark, query, *more, **named)

    SparkSession.sql = run


def main(root: Path) -> int:
    session(root, hive=True)
    loaded = ingestion(["load", "--project-dir", str(root)])
    if loaded != 0:
        return loaded
    told = root / "killed.json"
    if told.exists():
        killed_before_another(told)
    where = ("--project-dir", str(root), "--profiles-dir", str(root))
    return 0 if dbtRunner().invoke(["run", *where, "--log-level", "none"]).success else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
