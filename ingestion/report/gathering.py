"""The facts, read from Delta tables with delta-rs and DuckDB, as any other tool would read them."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import duckdb
from deltalake import DeltaTable

from ingestion.bronze.tables import table_path
from ingestion.config.feeds import Config, Feed
from ingestion.errors import SOURCE, UserError
from ingestion.kafka.lag import noted_ends, read_up_to
from ingestion.local_files import now
from ingestion.report.facts import Facts, FeedFacts, Finding, Gap, Outcome, Partition, Reason
from ingestion.report.gold import gold_tables, size_of
from ingestion.report.runs import read_runs
from ingestion.report.standing import moment
from ingestion.tables import name_tables

SHOWN_RUNS = 50
SHOWN_RESOLVED = 50
# offsets of a topic's newest generation, the only one that is read
PARTITIONS = """
    select
        feed, topic, "partition",
        count(*) as records,
        arg_max("offset", (topic_generation, "offset")) as last_offset,
        epoch_us(max(ingested_at)) as arrived_at
    from bronze_messages
    group by feed, topic, "partition"
    order by feed, topic, "partition"
"""
OUTCOMES = """
    select
        feed, operation,
        count(distinct (topic, topic_generation, "partition", "offset")) as records,
        count(*) as row_count
    from silver_changes
    group by feed, operation
    order by feed, records desc, operation
"""
REASONS = """
    with reasons as (
        select
            feed, error,
            count(distinct (topic, topic_generation, "partition", "offset")) as messages,
            min({'topic': topic, 'part': "partition", 'place': "offset"}) as first
        from silver_changes
        where operation = 'unknown'
        group by feed, error
    )
    select feed, error, messages, first.topic, first.part, first.place
    from reasons
    order by feed, messages desc, error
"""
FINDINGS = """
    select
        finding_id, test, gold_table, feed, topic, "partition", "offset", row_key, finding,
        unlisted, epoch_us(first_seen), epoch_us(last_seen), epoch_us(resolved_at)
    from silver_findings
    order by
        resolved_at desc nulls first, first_seen desc, test, topic, "partition", "offset", finding
"""
GAPS = """
    select feed, topic, "partition", from_offset, to_offset, reason, epoch_us(accepted_at)
    from bronze_gaps
    order by accepted_at desc, feed, topic, "partition"
"""
Rows = dict[str, list[tuple]]


def gather(config: Config) -> Facts:
    """Return the facts as they are now; a UserError says that nothing was loaded yet."""
    messages = table_path(config.bronze, "messages")
    if not DeltaTable.is_deltatable(messages):
        raise UserError("Nothing has been loaded yet: run `python -m ingestion load`.", SOURCE)
    with duckdb.connect() as connection:
        name_tables(connection, "bronze_messages", [messages])
        name_tables(connection, "bronze_gaps", [table_path(config.bronze, "gaps")])
        silver = _silver_tables(config)
        if silver:
            name_tables(connection, "silver_changes", silver)
        asked = (PARTITIONS, *((OUTCOMES, REASONS) if silver else ()))
        answers = [_by_feed(connection, sql) for sql in asked]
        findings = read_findings(config)
        return Facts(
            made_at=now(),
            bronze_bytes=size_of(DeltaTable(messages))[1],
            feeds=tuple(
                _feed(config, feed, *(rows.get(feed.name, []) for rows in answers))
                for feed in config.feeds.values()
            ),
            gold=gold_tables(config, connection if silver else None),
            findings=tuple(one for one in findings if one.resolved_at is None),
            resolved=tuple(one for one in findings if one.resolved_at)[:SHOWN_RESOLVED],
            gaps=tuple(
                Gap(*columns, moment(accepted_at))
                for *columns, accepted_at in connection.execute(GAPS).fetchall()
            ),
            runs=read_runs(config, SHOWN_RUNS),
        )


def read_findings(config: Config) -> list[Finding]:
    """Return the rows of silver.findings, the open ones first, the newest first."""
    path = config.tables_of("silver") / "findings"
    if not (path / "_delta_log").exists():
        return []
    with duckdb.connect() as connection:
        name_tables(connection, "silver_findings", [path])
        return [
            Finding(*columns, key and tuple(key), finding, unlisted, *map(moment, times))
            for *columns, key, finding, unlisted, first, last, resolved in connection.execute(
                FINDINGS
            ).fetchall()
            for times in [(first, last, resolved)]
        ]


def _silver_tables(config: Config) -> list[Path]:
    formats = dict.fromkeys(feed.format for feed in config.feeds.values())
    paths = [config.tables_of("silver") / f"{name}_changes" for name in formats]
    return [path for path in paths if (path / "_delta_log").exists()]


def _by_feed(connection: duckdb.DuckDBPyConnection, sql: str) -> Rows:
    """Return the rows of a query by their first column, which is the feed."""
    rows: Rows = defaultdict(list)
    for feed, *row in connection.execute(sql).fetchall():
        rows[feed].append(tuple(row))
    return rows


def _feed(
    config: Config,
    feed: Feed,
    arrived: list[tuple],
    outcomes: Iterable[tuple] = (),
    reasons: Iterable[tuple] = (),
) -> FeedFacts:
    read = {} if feed.files else read_up_to(config, feed.name)
    noted = None if feed.files else noted_ends(config, feed.name)
    partitions = {
        (topic, number): (records, last_offset + 1)
        for topic, number, records, last_offset, _ in arrived
    }
    # also partitions without a loaded record
    for topic, offsets in {**(noted.offsets if noted else {}), **read}.items():
        for number in offsets:
            partitions.setdefault((topic, number), (0, 0))
    return FeedFacts(
        name=feed.name,
        format=feed.format,
        input=feed.input_kind,
        records=sum(row[2] for row in arrived),
        arrived_at=moment(max((row[-1] for row in arrived), default=None)),
        outcomes=tuple(Outcome(*row) for row in outcomes),
        partitions=tuple(
            Partition(
                topic,
                number,
                records,
                read.get(topic, {}).get(number, next_offset),
                noted.offsets.get(topic, {}).get(number) if noted else None,
                noted.at if noted else None,
            )
            for (topic, number), (records, next_offset) in sorted(partitions.items())
        ),
        unknown=tuple(Reason(*row) for row in reasons),
    )
