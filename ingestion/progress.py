"""What the user sees while records land: one line per batch."""

import sys

UNITS = ("B", "kB", "MB", "GB", "TB")


def say(line: str) -> None:
    """Print the line at once."""
    print(line, flush=True)


def complain(line: str) -> None:
    """Print the line where errors go, at once."""
    print(line, file=sys.stderr, flush=True)


def batch_line(feed: str, records: int, size: int, seconds: float, behind: int | None) -> str:
    """Return the line about one batch that has landed."""
    speed = records / seconds if seconds > 0 else 0
    lag = "" if behind is None else f", {behind:,} behind"
    return f"{feed}: {records:,} records, {human_bytes(size)}, {speed:,.0f} records/s{lag}"


def human_bytes(size: float) -> str:
    """Return the size in the largest unit that keeps it above one."""
    for unit in UNITS[:-1]:
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} {UNITS[-1]}"
