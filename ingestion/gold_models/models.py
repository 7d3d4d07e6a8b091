"""The gold models that the project has."""

import re
from dataclasses import dataclass
from pathlib import Path

from ingestion.gold_models.proposed import Place, Table


@dataclass(frozen=True)
class Model:
    """A gold model that the project has; key and columns by their names in the messages."""

    path: Path
    feed: str
    # None: the model does not declare it; {'pattern': ...}: the model reads many
    place: tuple[str | dict[str, str] | None, ...]
    # empty: a model of current_rows
    key: tuple[str, ...]
    columns: dict[str, str]
    # the columns' names in gold, and those of the shard's
    gold_names: dict[str, str]
    left_out: tuple[str, ...]
    # columns that the model does not declare come into gold when messages carry them
    adds_columns: bool
    # they are in the model's YAML, not in its call
    has_columns_in_yaml: bool = False
    # as the model's config says; None: it says none
    alias: str | None = None

    @property
    def name(self) -> str:
        """Return the name by which dbt knows the model."""
        return self.path.stem

    @property
    def table(self) -> str:
        """Return the gold table's name, which Spark writes in lower case."""
        return (self.alias or self.name).lower()

    def is_of(self, feed: str, table: Table) -> bool:
        """Return whether the model reads this table."""
        return self.reads(feed, table.place)

    def reads(self, feed: str, place: Place) -> bool:
        """Return whether the model reads this feed's table with these names in the messages."""
        return self.feed == feed and is_named_so(self.place, place)


def is_named_so(declared: tuple[str | dict[str, str] | None, ...], place: Place) -> bool:
    """Return whether a table with these names in the messages is one that the model declares."""
    return all(_is_called(mine, its) for mine, its in zip(declared, place, strict=True))


def _is_called(declared: str | dict[str, str] | None, name: str | None) -> bool:
    if isinstance(declared, dict):
        pattern = pattern_of(declared)
        return bool(pattern and name is not None and pattern.fullmatch(name))
    return declared in (None, name)


def pattern_of(declared: dict[str, str]) -> re.Pattern[str] | None:
    """Return the pattern; None if it is none that Python reads, which gold refuses too."""
    try:
        return re.compile(declared["pattern"])
    except (KeyError, TypeError, re.error):
        return None
