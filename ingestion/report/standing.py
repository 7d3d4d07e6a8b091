"""Up to which time tables are complete: the SQL of silver.complete_up_to, without Spark."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import sqlglot

from ingestion.gold_models.proposed import Place
from ingestion.reconcile.completeness import view_sql

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
STANDING = """
    select
        feed, catalog_name, database_name, schema_name, table_name,
        epoch_us(min(complete_up_to)) as complete_up_to,
        count(complete_up_to) = count(*) as is_known
    from ({view}) group by all
"""
NEWEST = """
    select feed, catalog_name, database_name, schema_name, table_name, max(bronze_version)
    from silver_changes
    where operation in (
        'insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before',
        'truncate', 'schema_change'
    )
    group by all
"""


@dataclass(frozen=True)
class Standing:
    """How far silver has come with a source table."""

    feed: str
    place: Place
    # the version of bronze that its newest change came with
    newest_version: int
    # None: for a partition of its topics no time is known
    complete_up_to: datetime | None


def standing_of_tables(
    connection: duckdb.DuckDBPyConnection, project_dir: Path
) -> tuple[Standing, ...]:
    """Return one for each source table; the connection has `silver_changes` and `bronze_gaps`."""
    times = {
        tuple(place): moment(time) if is_known else None
        for *place, time, is_known in connection.execute(
            STANDING.format(view=complete_up_to(project_dir))
        ).fetchall()
    }
    return tuple(
        Standing(feed, tuple(place), version, times.get((feed, *place)))
        for feed, *place, version in connection.execute(NEWEST).fetchall()
        if place[-1] is not None
    )


def complete_up_to(project_dir: Path) -> str:
    """Return the view's SQL for DuckDB, translated so that its logic is written once."""
    relations = {("silver", "cdc_changes"): "silver_changes", ("bronze", "gaps"): "bronze_gaps"}
    spark = view_sql(project_dir, relations)
    return sqlglot.transpile(spark, read="spark", write="duckdb", comments=False)[0]


def moment(microseconds: int | None) -> datetime | None:
    """Return the time that is so many microseconds after 1970, in UTC."""
    return None if microseconds is None else EPOCH + timedelta(microseconds=microseconds)
