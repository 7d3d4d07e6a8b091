"""What the user sees while records land: one line per batch."""

import sys
from dataclasses import dataclass

UNITS = ("B", "kB", "MB", "GB", "TB")
# topic -> partition -> offsets that the brokers hold and bronze does not
Lag = dict[str, dict[int, int]]


@dataclass(frozen=True)
class Batch:
    """Records of a feed that have landed in bronze in one commit."""

    feed: str
    records: int
    # of keys and values, before they are compressed
    bytes: int
    seconds: float
    # None: files have none
    lag: Lag | None = None


def say(line: str) -> None:
    """Print the line at once."""
    print(line, flush=True)


def complain(line: str) -> None:
    """Print the line to stderr at once."""
    print(line, file=sys.stderr, flush=True)


def show_batch(batch: Batch) -> None:
    """Print the line about one batch that has landed."""
    speed = batch.records / batch.seconds if batch.seconds > 0 else 0
    lag = ""
    if batch.lag is not None:
        unread = sum(sum(partitions.values()) for partitions in batch.lag.values())
        lag = f", {unread:,} behind"
    size = human_bytes(batch.bytes)
    say(f"{batch.feed}: {batch.records:,} records, {size}, {speed:,.0f} records/s{lag}")


def human_bytes(size: float) -> str:
    """Return the size in the largest unit that keeps it above one."""
    for unit in UNITS[:-1]:
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} {UNITS[-1]}"
