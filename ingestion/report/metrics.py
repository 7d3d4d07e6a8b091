"""The facts in Prometheus' text format, version 0.0.4."""

from collections import Counter
from collections.abc import Iterator
from datetime import datetime

from ingestion.report.facts import Facts

Labels = dict[str, object]
Sample = tuple[Labels, float]


def metrics(facts: Facts) -> str:
    """Return the text; a sample whose value is unknown is left out, never 0."""
    lines = []
    for name, kind, about, samples in _families(facts):
        if samples:
            lines += [f"# HELP {name} {about}", f"# TYPE {name} {kind}"]
            lines += [f"{name}{_labels(labels)} {_number(value)}" for labels, value in samples]
    return "\n".join(lines) + "\n"


def _families(facts: Facts) -> Iterator[tuple[str, str, str, list[Sample]]]:
    yield (
        "cdc_report_timestamp_seconds",
        "gauge",
        "When these metrics were made.",
        [({}, facts.made_at.timestamp())],
    )
    yield "cdc_bronze_bytes", "gauge", "Bytes of bronze on disk.", [({}, facts.bronze_bytes)]
    yield from _of_feeds(facts)
    yield from _of_gold(facts)
    yield from _of_runs(facts)
    counts: Counter[tuple[str, str]] = Counter()
    for finding in facts.findings:
        counts[finding.test, finding.gold_table or ""] += finding.count
    yield (
        "cdc_open_findings",
        "gauge",
        "Open findings of shipped tests, in all.",
        [({}, facts.open_count)],
    )
    yield (
        "cdc_test_open_findings",
        "gauge",
        "Open findings of a shipped test; none where it has none.",
        [({"test": test, "table": table}, count) for (test, table), count in counts.items()],
    )


def _of_feeds(facts: Facts) -> Iterator[tuple[str, str, str, list[Sample]]]:
    yield (
        "cdc_feed_records",
        "gauge",
        "Records of a feed in bronze.",
        [({"feed": feed.name}, feed.records) for feed in facts.feeds],
    )
    yield (
        "cdc_feed_unknown_messages",
        "gauge",
        "Messages of a feed that no macro understood.",
        [
            ({"feed": feed.name}, sum(reason.messages for reason in feed.unknown))
            for feed in facts.feeds
        ],
    )
    yield (
        "cdc_feed_last_record_timestamp_seconds",
        "gauge",
        "When the newest record of a feed landed.",
        [
            ({"feed": feed.name}, feed.arrived_at.timestamp())
            for feed in facts.feeds
            if feed.arrived_at
        ],
    )
    yield (
        "cdc_partition_lag_offsets",
        "gauge",
        "Offsets between what was read and the broker's end, as the loader saw it last.",
        [
            (
                {"feed": feed.name, "topic": one.topic, "partition": one.partition},
                one.lag,
            )
            for feed in facts.feeds
            for one in feed.partitions
            if one.lag is not None
        ],
    )


def _of_gold(facts: Facts) -> Iterator[tuple[str, str, str, list[Sample]]]:
    tables = facts.gold
    yield (
        "cdc_gold_rows",
        "gauge",
        "Rows of a gold table.",
        [({"table": table.name}, table.rows) for table in tables],
    )
    yield (
        "cdc_gold_bytes",
        "gauge",
        "Bytes of a gold table on disk.",
        [({"table": table.name}, table.bytes) for table in tables],
    )
    yield (
        "cdc_gold_age_seconds",
        "gauge",
        "How long ago, by the source's clock, the time was up to which a gold table is complete.",
        [
            ({"table": table.name}, _seconds(table.complete_up_to, facts.made_at))
            for table in tables
            if table.complete_up_to
        ],
    )


def _of_runs(facts: Facts) -> Iterator[tuple[str, str, str, list[Sample]]]:
    if not facts.runs:
        return
    last = facts.runs[-1]
    labels = {"command": last.command}
    yield "cdc_last_run_seconds", "gauge", "How long the last run took.", [(labels, last.seconds)]
    yield (
        "cdc_last_run_timestamp_seconds",
        "gauge",
        "When the last run began.",
        [(labels, last.started_at.timestamp())],
    )
    yield (
        "cdc_last_run_success",
        "gauge",
        "1 where nothing failed in the last run, 0 otherwise.",
        [(labels, 0 if last.failed else 1)],
    )
    if last.landed is not None:
        yield (
            "cdc_last_run_records",
            "gauge",
            "Records that the last run loaded into bronze.",
            [(labels, last.landed)],
        )


def _seconds(earlier: datetime, later: datetime) -> float:
    return (later - earlier).total_seconds()


def _labels(labels: Labels) -> str:
    listed = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items())
    return f"{{{listed}}}" if listed else ""


def _escaped(value: object) -> str:
    return str(value).replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _number(value: float) -> str:
    return repr(float(value)) if isinstance(value, float) else str(value)
