"""The lag of a feed to its brokers, as its loader last saw it: lakehouse/offsets/FEED.json."""

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ingestion.bronze.checkpoints import checkpoint_folder, whole_numbers
from ingestion.config.feeds import Config, Offsets
from ingestion.local_files import now, replace_file


@dataclass(frozen=True)
class Ends:
    """The offsets at which the brokers' logs ended."""

    at: datetime
    offsets: Offsets


def note_ends(config: Config, feed: str, ends: Offsets) -> None:
    """Write down what the feed's loader sees; only the loader writes it, as it holds the lock."""
    note = {"at": now().isoformat(), "ends": ends}
    replace_file(_path(config, feed), json.dumps(note).encode())


def noted_ends(config: Config, feed: str) -> Ends | None:
    """Return what the feed's loader last saw; None if no loader has asked the brokers."""
    path = _path(config, feed)
    if not path.exists():
        return None
    note = json.loads(path.read_bytes())
    return Ends(datetime.fromisoformat(note["at"]), whole_numbers(note["ends"]))


def read_up_to(config: Config, feed: str) -> Offsets:
    """Return the next offsets to read, from the loader's checkpoint on this machine's disk.

    Offsets of records do not show them: with transactions, some offsets hold no record. Empty where
    bronze is not on this disk, and before the first batch has been noted.
    """
    folder = Path(checkpoint_folder(config.bronze, feed))
    number = max(_numbers(folder, ".json"), default=None)
    if number is None:
        return {}
    done = max(_numbers(folder / str(number) / "commits"), default=-1)
    planned = [batch for batch in _numbers(folder / str(number) / "offsets") if batch <= done]
    if planned:
        lines = (folder / str(number) / "offsets" / str(max(planned))).read_text().splitlines()
        if lines[2] != "-":
            return whole_numbers(json.loads(lines[2]))
    return whole_numbers(json.loads((folder / f"{number}.json").read_text())["offsets"])


def _numbers(folder: Path, suffix: str = "") -> list[int]:
    names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    stems = [name.removesuffix(suffix) for name in names if name.endswith(suffix)]
    return [int(stem) for stem in stems if stem.isdigit()]


def _path(config: Config, feed: str) -> Path:
    return config.lakehouse / "offsets" / f"{feed}.json"
