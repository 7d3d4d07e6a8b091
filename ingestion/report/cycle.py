"""What one cycle of `run --follow` did: the facts for its line, a page, metrics and messages."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True)
class Trouble:
    """What stops a part of the project; that part is tried again in each cycle."""

    # feed, model, project (its files) or dbt (as a whole)
    kind: str
    # of the feed or the model; otherwise the kind again
    name: str
    # what is wrong and what to do, in one sentence
    sentence: str
    # since when it has been there without a break
    since: datetime


@dataclass(frozen=True)
class Cycle:
    """One cycle: what landed, what was built from it, and the troubles."""

    # counts from 1 in each process
    number: int
    # in UTC
    started_at: datetime
    seconds: float
    # what landed in bronze since the end of the previous cycle, by feed; every feed is in it
    records: Mapping[str, int]
    bytes: Mapping[str, int]
    # feed -> topic -> partition -> offsets that the brokers hold and bronze does not. A feed of
    # files is not in it, nor one whose brokers have not answered yet.
    lag: Mapping[str, Mapping[str, Mapping[int, int]]]
    # gold tables that took new changes, and other models that dbt built, by the models' names
    tables_changed: tuple[str, ...]
    # gold table -> when its newest change was made, by the source's clock; a table is missing
    # while none of its changes carries a time
    newest_changes: Mapping[str, datetime]
    # whether dbt was needed
    is_built: bool = False
    # how many shipped tests ended how: {'passed': 40, 'warned': 1}; empty if none ran
    tests: Mapping[str, int] = field(default_factory=dict)
    troubles: tuple[Trouble, ...] = ()

    def ages(self, now: datetime) -> dict[str, float]:
        """Return how many seconds old each gold table's newest change is."""
        return {table: (now - time).total_seconds() for table, time in self.newest_changes.items()}
