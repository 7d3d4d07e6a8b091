"""What is known of a lakehouse at one moment: what every form of the report shows."""

import json
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

# what silver.findings has for the test of rows that `run --follow` compared with their source
SPOT_CHECK = "spot_check"


def explain_call(table: str, row_key: Iterable[str | None]) -> str:
    """Return the call of explain_row, as dbt takes it inline."""
    values = ", ".join(
        "none" if value is None else json.dumps(value, ensure_ascii=False) for value in row_key
    )
    return f"{{{{ cdc.explain_row({json.dumps(table)}, [{values}]) }}}}"


@dataclass(frozen=True)
class Outcome:
    """What became of a feed's records: how many became rows of this operation."""

    operation: str
    records: int
    rows: int


@dataclass(frozen=True)
class Partition:
    """How far a partition has come, and the brokers' end offset when a loader last asked."""

    topic: str
    partition: int
    records: int
    # the offset that bronze reads next; then what only a loader can know
    next_offset: int
    end_offset: int | None = None
    seen_at: datetime | None = None

    @property
    def lag(self) -> int | None:
        """Return how many offsets were still to come; None where no loader has noted it."""
        return None if self.end_offset is None else max(0, self.end_offset - self.next_offset)


@dataclass(frozen=True)
class Reason:
    """Messages that no macro understood for one reason, with the coordinates of the first."""

    reason: str
    messages: int
    topic: str
    partition: int
    offset: int


@dataclass(frozen=True)
class FeedFacts:
    """What came in through a feed, and what became of it."""

    name: str
    format: str
    input: str
    records: int
    arrived_at: datetime | None
    outcomes: tuple[Outcome, ...]
    partitions: tuple[Partition, ...]
    unknown: tuple[Reason, ...]

    @property
    def lag(self) -> int | None:
        """Return the sum over the partitions that a loader has noted."""
        known = [partition.lag for partition in self.partitions if partition.lag is not None]
        return sum(known) if known else None


@dataclass(frozen=True)
class GoldTable:
    """A table of gold."""

    name: str
    rows: int
    bytes: int
    # None: no gold model of this name declares where its rows come from
    feed: str | None
    # None: unknown; up to this time of the source's clock gold has every change
    complete_up_to: datetime | None
    # silver has changes of it that gold has not read
    is_behind: bool


@dataclass(frozen=True)
class Finding:
    """A row of silver.findings."""

    finding_id: str
    test: str
    gold_table: str | None
    feed: str | None
    topic: str | None
    partition: int | None
    offset: int | None
    row_key: tuple[str | None, ...] | None
    finding: str
    # how many findings the table does not list, in the row that counts them
    unlisted: int | None
    first_seen: datetime
    last_seen: datetime
    resolved_at: datetime | None

    @property
    def is_of_spot_check(self) -> bool:
        """Return whether a spot check of `run --follow` has found it."""
        return self.test == SPOT_CHECK

    @property
    def count(self) -> int:
        """Return how many findings the row counts for."""
        return self.unlisted or 1

    @property
    def coordinates(self) -> str | None:
        """Return topic, partition and offset, as errors write them."""
        if self.topic is None:
            return None
        return f"topic {self.topic}, partition {self.partition}, offset {self.offset}"

    @property
    def explain(self) -> str | None:
        """Return the command that explains the row; None where the finding is about no row."""
        if self.gold_table is None or not self.row_key:
            return None
        call = explain_call(self.gold_table, self.row_key)
        return f"dbt show --limit 50 --inline {shlex.quote(call)}"

    @property
    def look_again(self) -> str:
        """Return the command that runs the test on all history and resolves what is gone.

        A spot check is no test of dbt: of its rows, the command that compares one with its source.
        """
        if self.is_of_spot_check:
            key = f" --key {shlex.join(map(str, self.row_key))}" if self.row_key else ""
            return f"python -m ingestion reconcile {shlex.quote(self.gold_table or '')}{key}"
        return f"dbt test --vars 'check_all_history: true' --select {shlex.quote(self.test)}"


@dataclass(frozen=True)
class Gap:
    """Records that were lost at the brokers; `to_offset` is exclusive, None if unknown."""

    feed: str
    topic: str
    partition: int
    from_offset: int
    to_offset: int | None
    reason: str
    accepted_at: datetime


@dataclass(frozen=True)
class Run:
    """One run of a command that updates tables."""

    command: str
    started_at: datetime
    seconds: float
    # records that it loaded into bronze; None where that was not known
    landed: int | None = None
    # what went wrong, in one sentence; None where nothing did
    failed: str | None = None


@dataclass(frozen=True)
class Facts:
    """All facts at the time `made_at`."""

    made_at: datetime
    bronze_bytes: int
    feeds: tuple[FeedFacts, ...]
    gold: tuple[GoldTable, ...]
    findings: tuple[Finding, ...]
    resolved: tuple[Finding, ...]
    gaps: tuple[Gap, ...]
    runs: tuple[Run, ...]

    @property
    def open_count(self) -> int:
        """Return how many findings are open, including those that the table does not list."""
        return sum(finding.count for finding in self.findings)
