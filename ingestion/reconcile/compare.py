"""All rows of a source against all rows of gold: one checksum per row, key range by key range."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from ingestion.reconcile.both_sides import (
    Comparison,
    Form,
    Key,
    not_unique_at_source,
    not_unique_in_gold,
    rows_in_gold,
    rows_of_source,
    with_copies,
)
from ingestion.reconcile.dialects import identifier
from ingestion.reconcile.sources import asking, rows


@dataclass(frozen=True)
class Differing:
    """A row that differed when it was read first."""

    key: Key
    # the source's checksum, and its own texts of the key
    at_source: Form
    texts: Key

    @property
    def has_null_in_key(self) -> bool:
        """Return whether no reading by key can find it."""
        return None in self.key


@dataclass(frozen=True)
class Reading:
    """The result of the first reading of all rows."""

    ranges: int
    differing: int
    only_at_source: int
    only_in_gold: int
    first: list[Differing]
    # neither side has the row that was asked for
    is_nowhere: bool = False


def count_source(compared: Comparison) -> int:
    """Return how many rows the source has now."""
    sql = f"select count(*) as row_count from {compared.table.relation}"
    ((count,),) = rows(compared.spark, compared.table.source, sql)
    return int(count)


def compare_checksums(
    compared: Comparison, gold: DataFrame, rows_per_piece: int, limit: int, scratch: Path
) -> Reading:
    """Return how many rows differ, and the first of them; refuse a key that has several rows.

    Meanwhile the scratch folder holds a key and a checksum of each row of the source.
    """
    keys, texts, ranges = compared.key_forms, compared.key_texts, 0
    with TemporaryDirectory(prefix="reconcile-", dir=scratch) as folder:
        for condition in _key_ranges(compared, rows_per_piece):
            with asking(compared.table.source):
                piece = rows_of_source(compared, condition).select(*keys, *texts, "checksum")
                piece.write.mode("append").parquet(f"{folder}/rows")
            ranges += 1
        source = with_copies(compared.spark.read.parquet(f"{folder}/rows"), keys)
        source = source.withColumnsRenamed({"checksum": "at_source", "copies": "source_copies"})
        mine = rows_in_gold(compared, gold).select(*keys, F.col("checksum").alias("in_gold"))
        mine = with_copies(mine, keys).withColumnRenamed("copies", "gold_copies")
        joined = source.join(mine, on=keys, how="full_outer")
        copied = "source_copies > 1 or gold_copies > 1"
        differing = joined.where(f"not at_source <=> in_gold or {copied}").persist()
        _refuse_copies(compared, differing.where(copied))
        total, only_at_source, only_in_gold = differing.selectExpr(
            "count(*)", "count_if(in_gold is null)", "count_if(at_source is null)"
        ).first()
        first = differing.orderBy(*keys).limit(limit).select(*keys, *texts, "at_source").collect()
        differing.unpersist()
    width = len(keys)
    found = [Differing(tuple(row[:width]), row[-1], tuple(row[width:-1])) for row in first]
    return Reading(ranges, total, only_at_source, only_in_gold, found)


def _refuse_copies(compared: Comparison, copied: DataFrame) -> None:
    keys = compared.key_forms
    first = copied.orderBy(*keys).select(*keys, "source_copies", "gold_copies").first()
    if first is None:
        return
    *key, at_source, in_gold = first
    if (at_source or 0) > 1:
        raise not_unique_at_source(compared, tuple(key), at_source)
    raise not_unique_in_gold(compared, tuple(key), in_gold)


def _key_ranges(compared: Comparison, rows_per_piece: int) -> Iterator[str]:
    """Yield conditions for this many rows each, every row once, in the source's own order.

    Before them comes one for all rows with a NULL in the key, which no range has.
    """
    table = compared.table
    names = [column.source_name for column in compared.key]
    ordered = [table.ordered(name) for name in names]
    texts = ", ".join(f"{table.text(name)} as text_{n}" for n, name in enumerate(names))
    whole = "1 = 1"
    if set(names) != set(table.primary_key):
        # of the text: MariaDB says `is null` of a date that is all zeros
        yield " or ".join(f"{table.text(name)} is null" for name in names)
        whole = " and ".join(f"{identifier(name)} is not null" for name in names)
    after = whole
    while True:
        last = rows(
            compared.spark,
            table.source,
            f"select {texts} from {table.relation} where {after}"
            f" order by {', '.join(ordered)} limit 1 offset {rows_per_piece - 1}",
        )
        if not last:
            yield after
            return
        bounds = [table.literal(name, text) for name, text in zip(names, last[0], strict=True)]
        yield f"{after} and {_is_beyond(ordered, bounds, '<', '<=')}"
        after = f"{whole} and {_is_beyond(ordered, bounds, '>', '>')}"


def _is_beyond(ordered: list[str], bounds: list[str], strict: str, last: str) -> str:
    """Return (a, b) > (1, 2), or <=, in a form for which every planner uses its index."""
    column, bound = ordered[0], bounds[0]
    if len(ordered) == 1:
        return f"{column} {last} {bound}"
    rest = _is_beyond(ordered[1:], bounds[1:], strict, last)
    return f"({column} {strict}= {bound} and ({column} {strict} {bound} or {rest}))"
