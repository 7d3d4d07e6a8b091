"""The record of runs: a line of JSON for each in lakehouse/runs.jsonl; the newest are kept."""

import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from ingestion.config.feeds import Config
from ingestion.local_files import replace_file
from ingestion.report.facts import Run

KEPT = 1000


def record_run(config: Config, run: Run) -> None:
    """Add the run to the record, whole or not at all, even if others add one at the same time."""
    path = record_path(config)
    line = json.dumps(asdict(run) | {"started_at": run.started_at.isoformat()}) + "\n"
    with _alone(path):
        lines = _lines(path)
        if len(lines) < 2 * KEPT:
            with path.open("ab") as output:
                # this line must not become part of one that a kill has cut off
                torn = lines and not lines[-1].endswith(b"\n")
                output.write((b"\n" if torn else b"") + line.encode())
        else:
            replace_file(path, b"".join([*lines[-KEPT:], line.encode()]))


def read_runs(config: Config, newest: int) -> tuple[Run, ...]:
    """Return the newest runs, the oldest of them first; incomplete lines are left out."""
    runs = []
    for line in _lines(record_path(config)):
        try:
            run = json.loads(line)
            runs.append(Run(**run | {"started_at": datetime.fromisoformat(run["started_at"])}))
        except (ValueError, TypeError, KeyError):
            continue
    return tuple(runs[-newest:])


def record_path(config: Config) -> Path:
    """Return the record's path; its file time is that of the last run that did something."""
    return config.lakehouse / "runs.jsonl"


def _lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True) if path.exists() else []


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold the file's lock, after waiting for it; the kernel drops that of a process that ends."""
    lock = path.parent / "locks" / f"{path.name}.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
