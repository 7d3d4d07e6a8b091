"""Locks that die with their process: one per feed, and one for the embedded metastore."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ingestion.errors import LOCKED, UserError

PATIENCE = 20.0


@contextmanager
def feed_lock(folder: Path, feed: str) -> Iterator[int]:
    """Hold the feed's lock, and yield its file descriptor for the JVM to inherit.

    The kernel drops the lock when the last process with the descriptor ends: so a killed loader
    leaves no lock, and a JVM that ends a moment after its loader keeps it until then.
    """
    with _lock(folder / f"{feed}.lock", f"Feed {feed} is being loaded") as descriptor:
        yield descriptor


@contextmanager
def metastore_lock(folder: Path) -> Iterator[int]:
    """Hold the lock of the embedded metastore, which only one process can use at a time."""
    with _lock(folder / "metastore.lock", "The embedded metastore is in use") as descriptor:
        yield descriptor


@contextmanager
def _lock(path: Path, what: str) -> Iterator[int]:
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        deadline = time.monotonic() + PATIENCE
        while not _try_lock(descriptor):
            holder = path.read_text(encoding="utf-8").strip() or "unknown"
            # The JVM of a loader that has ended needs a moment to end too.
            if Path(f"/proc/{holder}").exists() or time.monotonic() > deadline:
                raise UserError(
                    f"{what} by another process (pid {holder}): wait for it to end or stop it.",
                    LOCKED,
                )
            time.sleep(0.1)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        try:
            yield descriptor
        finally:
            # Unlocked explicitly, as the JVM may have the descriptor too and go on running.
            fcntl.flock(descriptor, fcntl.LOCK_UN)
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
