"""The report as lines on the screen, and as JSON."""

import json
import os
import sys
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

from ingestion.config.feeds import schema_name
from ingestion.progress import say
from ingestion.report.facts import Facts, FeedFacts

TRY_NEXT = (
    'show --quiet --inline "select * from {gold}.{table} limit 5"',
    'show --quiet --inline "select topic, offset, error from {silver}.unknown_messages"',
    "docs generate",
)


def show(facts: Facts) -> None:
    """Print what came in, what became of it, what gold holds, what is wrong, what to try next."""
    gold = schema_name("gold")
    say("\nRecords and what became of them")
    for feed in facts.feeds:
        say(f"  {feed.name} ({feed.format}): {feed.records} records{_lag(feed)}")
        if feed.outcomes:
            say("    " + ", ".join(_outcome(*asdict(one).values()) for one in feed.outcomes))
    say("\nGold")
    for table in facts.gold:
        say(f"  {gold}.{table.name}: {table.rows} rows")
    if facts.findings:
        silver = schema_name("silver")
        findings = "1 finding" if facts.open_count == 1 else f"{facts.open_count} findings"
        say(f"\nOpen: {findings} of tests, in {silver}.findings and report --html")
    if facts.gold:
        say("\nTry next")
        dbt = os.path.relpath(Path(sys.executable).with_name("dbt"))
        names = {"gold": gold, "silver": schema_name("silver"), "table": facts.gold[0].name}
        for command in TRY_NEXT:
            say(f"  {dbt} {command.format(**names)}")


def as_json(facts: Facts) -> str:
    """Return the facts as one JSON object, with the values of their properties."""
    content = asdict(facts) | {"open_count": facts.open_count}
    for feed, shown in zip(facts.feeds, content["feeds"], strict=True):
        shown["lag"] = feed.lag
        for partition, row in zip(feed.partitions, shown["partitions"], strict=True):
            row["lag"] = partition.lag
    for finding, shown in zip(facts.findings, content["findings"], strict=True):
        shown |= {"explain": finding.explain, "look_again": finding.look_again}
    return json.dumps(content, default=_time, ensure_ascii=False, indent=1)


def _time(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(type(value).__name__)


def _outcome(operation: str, records: int, rows: int) -> str:
    return f"{records} {operation}" + (f" ({rows} rows)" if rows != records else "")


def _lag(feed: FeedFacts) -> str:
    return f", {feed.lag:,} behind" if feed.lag else ""
