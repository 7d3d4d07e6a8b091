"""The facts as one HTML page, which loads nothing from a server and runs no script."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ingestion.progress import human_bytes
from ingestion.report.facts import Facts, Finding, Run

# The page lists this many findings of one test, and counts the others.
SHOWN_FINDINGS = 50
CHART_HEIGHT = 80.0
BAR, SPACE = 14.0, 6.0
UNITS = ((86400 * 2, 86400, "days"), (3600 * 2, 3600, "hours"), (120, 60, "minutes"))


@dataclass(frozen=True)
class Bar:
    """A run in the chart."""

    x: float
    y: float
    height: float
    run: Run


@dataclass(frozen=True)
class Group:
    """The open findings of one test."""

    test: str
    count: int
    shown: tuple[Finding, ...]
    # rows of the table that the page leaves out
    hidden: int


def page(facts: Facts) -> str:
    """Return the page; every text in it that comes from data is escaped."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "time": _time,
        "bytes": human_bytes,
        "count": lambda number: f"{number:,}".replace(",", "\u202f"),
        "seconds": _seconds,
        "value": _key_value,
        "ago": lambda time: _ago(facts.made_at - time),
    }
    return environment.get_template("page.html").render(
        facts=facts,
        groups=_groups(facts.findings),
        bars=_bars(facts.runs),
        chart=(BAR + SPACE, CHART_HEIGHT, BAR),
        longest=max((run.seconds for run in facts.runs), default=0.0),
        open_by_table=_open_by_table(facts),
        lag=sum(feed.lag or 0 for feed in facts.feeds),
        knows_lag=any(feed.lag is not None for feed in facts.feeds),
        unknown=sum(reason.messages for feed in facts.feeds for reason in feed.unknown),
    )


def _groups(findings: tuple[Finding, ...]) -> list[Group]:
    groups = []
    by_test = sorted(findings, key=lambda finding: finding.test)
    for test, of_test in groupby(by_test, key=lambda finding: finding.test):
        listed = list(of_test)
        count = sum(finding.count for finding in listed)
        single = [finding for finding in listed if finding.unlisted is None]
        # the row that counts the unlisted findings is always shown
        beyond = [finding for finding in listed if finding.unlisted is not None]
        shown = (*single[:SHOWN_FINDINGS], *beyond)
        groups.append(Group(test, count, shown, len(listed) - len(shown)))
    return groups


def _open_by_table(facts: Facts) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for finding in facts.findings:
        if finding.gold_table is not None:
            counts[finding.gold_table] += finding.count
    return dict(counts)


def _bars(runs: tuple[Run, ...]) -> list[Bar]:
    longest = max((run.seconds for run in runs), default=0.0) or 1.0
    return [
        Bar(number * (BAR + SPACE), CHART_HEIGHT - height, height, run)
        for number, run in enumerate(runs)
        for height in [max(2.0, CHART_HEIGHT * run.seconds / longest)]
    ]


def _time(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M:%S} UTC"


def _seconds(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def _ago(age: timedelta) -> str:
    """Return the age in words; that of a time to come shows that a clock or a zone is wrong."""
    seconds = abs(age.total_seconds())
    if seconds < 10:
        return "just now"
    units = (f"{seconds / size:.0f} {unit}" for least, size, unit in UNITS if seconds >= least)
    words = next(units, f"{seconds:.0f} seconds")
    return f"{words} ago" if age > timedelta() else f"in {words}"


def _key_value(value: str | None) -> str:
    return "NULL" if value is None else value or "''"
