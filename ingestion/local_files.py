"""Small files of the lakehouse on this machine."""

import os
from datetime import UTC, datetime
from pathlib import Path


def now() -> datetime:
    """Return the moment, in UTC."""
    return datetime.now(UTC)


def replace_file(path: Path, content: bytes) -> None:
    """Put the content at the path at once, so that no reader meets half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # in the folder itself, since a rename is only there one step; hidden from who reads *.prom
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        partial.write_bytes(content)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
