"""Findings of spot checks, written to silver.findings like those of the shipped tests."""

import json
from collections.abc import Iterable
from typing import NamedTuple

from pyspark.sql import SparkSession

from ingestion.config.feeds import Config
from ingestion.reconcile.both_sides import Key
from ingestion.report.facts import SPOT_CHECK as TEST
from ingestion.tables import query_table

OPEN = f"test = '{TEST}' and resolved_at is null"


class Found(NamedTuple):
    """One row that differs; the coordinates are those of gold's row, if there is one."""

    gold_table: str
    feed: str
    topic: str | None
    partition: int | None
    offset: int | None
    key: Key
    finding: str
    # what explain_row reports of it; None where it was not asked
    explanation: str | None = None


TYPES = (
    "gold_table string, feed string, topic string, `partition` int, `offset` bigint,"
    " row_key array<string>, finding string, explanation string"
)


def open_keys(config: Config, table: str) -> list[Key]:
    """Return the keys of the table's rows that have an open finding of a spot check."""
    path = config.tables_of("silver") / "findings"
    if not (path / "_delta_log").exists():
        return []
    columns = ["test", "gold_table", "row_key", "resolved_at"]
    sql = f"select row_key from findings where {OPEN} and gold_table = ?"
    return [tuple(key) for (key,) in query_table(path, "findings", columns, sql, [table])]


def record(
    spark: SparkSession, config: Config, found: list[Found], table: str, equal: Iterable[Key]
) -> None:
    """Write what was found of a table, and resolve the findings of rows that are equal now.

    A row that differs otherwise than reported is another finding; the first explanation of a
    finding is kept.
    """
    path = config.tables_of("silver") / "findings"
    rows = [(*one[:5], list(one.key), one.finding[:1000], one.explanation) for one in found]
    spark.createDataFrame(rows, TYPES).createOrReplaceTempView("spot_found")
    looked_at = [list(key) for key in [*equal, *(one.key for one in found)]]
    place = "gold_table, feed, topic, partition, offset, row_key"
    columns = f"{place}, finding"
    spark.sql(
        f"""
        merge into delta.`{path}` as known
        using (
            select
                *,
                md5(to_json(struct('{TEST}' as test, {columns}))) as finding_id
            from spot_found
        ) as found
            on
                known.finding_id = found.finding_id
                and known.resolved_at is null
        when matched then update set known.last_seen = current_timestamp()
        when not matched then insert (
            finding_id, test, {columns}, looked_from, first_seen, last_seen
        ) values (
            finding_id, '{TEST}', {place}, concat_ws('; ', finding, explanation),
            -1, current_timestamp(), current_timestamp()
        )
        when not matched by source
            and known.test = '{TEST}'
            and known.gold_table = :table
            and known.resolved_at is null
            and array_contains(from_json(:looked_at, 'array<array<string>>'), known.row_key)
            then update set known.resolved_at = current_timestamp()
        """,
        args={"table": table, "looked_at": json.dumps(looked_at)},
    )
