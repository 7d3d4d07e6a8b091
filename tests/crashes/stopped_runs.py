"""Loads and `dbt run`s in one process; each run ends before another statement that writes, and nothing of it comes after.

python -m tests.crashes.stopped_runs PROJECT FILE ...

What lies in PROJECT/in is loaded and run. Then one FILE after the other is handed in (moved to PROJECT/in), loaded and
run; the run ends before the first statement before which none has ended yet. PROJECT/stopped.json lists these
statements. When a run gets through, all other files are handed in and run, and then a full refresh makes everything again.
On disk is what a killed process leaves: no statement reaches Spark behind the one that is stopped.
"""

import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from ingestion.spark.session import session
from tests.crashes.killed_run import dbt, load, named_write


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


def main(root: Path, *files: str) -> int:
    session(root, hive=True)
    brought = load(root) and dbt(root, "run") and stopped_before_each(root, list(files))
    return 0 if brought and dbt(root, "run", "--full-refresh") else 1


def stopped_before_each(root: Path, files: list[str]) -> bool:
    """Run over one file after the other until a run gets through, and then over the others; they must be enough."""
    stop, was_stopped = Stop(), True
    while was_stopped:
        if not (files and load(root, files.pop(0))):
            return False
        stop.arm()
        ran = dbt(root, "run")
        was_stopped = stop.disarm()
    (root / "stopped.json").write_text(json.dumps(stop.names))
    return ran and load(root, *files) and dbt(root, "run")


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:]))
