"""Small files of the lakehouse on this machine."""

import os
from datetime import UTC, datetime
from pathlib import Path


def now() -> datetime:
    """Return the current time, in UTC."""
    return datetime.now(UTC)


def replace_file(path: Path, content: bytes) -> None:
    """Replace the file in one step, so that no reader sees a part of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # in the same folder, where a rename is one step; hidden from readers of *.prom
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        partial.write_bytes(content)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
