"""Loads and `dbt run`s in one process; each run ends before another statement that writes, and nothing of it comes after.

python -m tests.crashes.stopped_runs PROJECT [FILE ...]

What lies in PROJECT/in is loaded and run. Then one FILE after the other is handed in (moved to PROJECT/in), loaded and
run; the run ends before the first statement before which none has ended yet. PROJECT/stopped.json lists these
statements. When a run gets through, all other files are handed in and run, and `compact_tables` leaves one row of each
key in the states. On disk is what a killed process leaves: no statement reaches Spark behind the one that is stopped.
Without FILEs nothing is stopped.
"""

import json
import sys
from pathlib import Path

from dbt.cli.main import dbtRunner
from pyspark.sql import SparkSession

from ingestion.__main__ import main as ingestion
from ingestion.session import session
from tests.crashes.killed_run import named_write


class Stop:
    """Lets a run's statements through until one that is new here; that one and all behind it fail."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.is_armed = self.has_stopped = False
        self.sql = SparkSession.sql
        SparkSession.sql = lambda *told, **named: self.run(*told, **named)

    def run(self, spark: SparkSession, query: str, *more: object, **given: object) -> object:
        name = named_write(query)
        if self.is_armed and not self.has_stopped and name and name not in self.names:
            self.names.append(name)
            self.has_stopped = True
        if self.has_stopped:
            raise RuntimeError("the run ended before this statement")
        return self.sql(spark, query, *more, **given)

    def arm(self) -> None:
        self.is_armed, self.has_stopped = True, False

    def disarm(self) -> bool:
        """Let everything through again; True if the last run was stopped."""
        stopped, self.is_armed, self.has_stopped = self.has_stopped, False, False
        return stopped


def dbt(root: Path, *arguments: str) -> bool:
    where = ("--project-dir", str(root), "--profiles-dir", str(root))
    return dbtRunner().invoke([*arguments, *where, "--log-level", "none"]).success


def hand_in(root: Path, *files: str) -> bool:
    for file in files:
        Path(file).rename(root / "in" / Path(file).name)
    return ingestion(["load", "--project-dir", str(root)]) == 0


def main(root: Path, *files: str) -> int:
    session(root, hive=True)
    if not hand_in(root) or not dbt(root, "run"):
        return 1
    stop, left = Stop(), list(files)
    while left:
        if not hand_in(root, left.pop(0)):
            return 1
        stop.arm()
        ran = dbt(root, "run")
        if not stop.disarm():
            break
    else:
        # every file was used up before a run got through: hand in more of them
        return 2 if files else finish(root)
    (root / "stopped.json").write_text(json.dumps(stop.names))
    return finish(root, *left) if ran else 1


def finish(root: Path, *files: str) -> int:
    if files and not (hand_in(root, *files) and dbt(root, "run")):
        return 1
    return 0 if dbt(root, "run-operation", "compact_tables") else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:]))
