"""A load and a `dbt run` in a process of its own, which is killed before its nth statement that writes.

python -m tests.crashes.killed_run PROJECT [N]
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


def killed_before(last: int, told: Path) -> None:
    """Kill this process and its JVM in place of the statement with this number, and keep which ones came before."""
    written = []
    sql = SparkSession.sql

    def run(spark: SparkSession, query: str, *more: object, **named: object) -> object:
        statement = COMMENT.sub("", query).strip()
        if WRITES.match(statement):
            written.append(" ".join(statement.split()[:3]))
            told.write_text(json.dumps(written))
            if len(written) == last:
                os.killpg(0, signal.SIGKILL)
        return sql(spark, query, *more, **named)

    SparkSession.sql = run


def main(root: Path, last: int) -> int:
    session(root, hive=True)
    loaded = ingestion(["load", "--project-dir", str(root)])
    if loaded != 0:
        return loaded
    killed_before(last, root / "statements.json")
    where = ("--project-dir", str(root), "--profiles-dir", str(root))
    return 0 if dbtRunner().invoke(["run", *where, "--log-level", "none"]).success else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0))
