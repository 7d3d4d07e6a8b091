"""Some rows of a table, read at the source by their keys and compared with gold."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from ingestion.gold_models.models import Model
from ingestion.reconcile.both_sides import (
    Comparison,
    Key,
    Row,
    find_at_source,
    find_in_gold,
    gold_table,
    rows_in_gold,
)
from ingestion.reconcile.sources import now

# This many keys of all, and this many of those that changed or were deleted lately.
MOST = 50
# Changes in this many of bronze's newest versions count as late.
VERSIONS = 20
# Types of which the source writes the same text as a message's key.
PLAIN = ("tinyint", "smallint", "int", "bigint", "string")
CHANGES = ("insert", "update", "upsert", "snapshot", "delete")
PLACE = ("catalog_name", "database_name", "schema_name", "table_name")


@dataclass(frozen=True)
class Pair:
    """One row of source and gold; None where one has no such row."""

    source: Row | None
    gold: Row | None

    @property
    def at_source(self) -> str | None:
        """Return the checksum of the source's row."""
        return self.source.checksum if self.source else None

    @property
    def in_gold(self) -> tuple[str, int, int] | None:
        """Return topic, partition and offset of the change that gold's row shows."""
        return self.gold.change[:3] if self.gold else None

    @property
    def differs(self) -> bool:
        """Return whether gold and source have different rows, or only one of them has a row."""
        return self.at_source != (self.gold.checksum if self.gold else None)


@dataclass(frozen=True)
class Look:
    """What source and gold had, and when the source was asked, by its own clock."""

    at: datetime
    pairs: dict[Key, Pair]


def look_at_some(compared: Comparison, model: Model, silver: Path, again: list[Key]) -> Look:
    """Compare rows chosen at random, and those of the keys `again`.

    Half of the random rows are from all of gold, half from the newest changes, which gold may lack.
    One statement asks the source for all. Gold is read first: what differs may be on its way.
    `silver` is the folder of the table of changes.
    """
    gold = gold_table(compared)
    known = list(dict.fromkeys([*again, *_of_all(compared, gold)]))
    changed = _of_newest_changes(compared, model, silver)
    at = now(compared.spark, compared.table.source)
    in_gold = find_in_gold(compared, gold, known) if known else {}
    asked = list(dict.fromkeys([*known, *changed]))
    at_source = find_at_source(compared, asked) if asked else {}
    unread = [key for key in (*changed, *at_source) if key not in in_gold]
    if unread:
        in_gold |= find_in_gold(compared, gold_table(compared), list(dict.fromkeys(unread)))
    keys = dict.fromkeys([*again, *in_gold, *at_source])
    return Look(at, {key: Pair(at_source.get(key), in_gold.get(key)) for key in keys})


def _of_all(compared: Comparison, gold: DataFrame) -> list[Key]:
    keys = rows_in_gold(compared, gold).select(*compared.key_forms)
    return [tuple(row) for row in keys.orderBy(F.rand()).limit(MOST).collect()]


def _of_newest_changes(compared: Comparison, model: Model, silver: Path) -> list[Key]:
    """Return keys of the newest changes, if their types are among PLAIN; else none."""
    types = [column.type.lower().strip() for column in compared.key]
    if not (silver / "_delta_log").exists() or any(name not in PLAIN for name in types):
        return []
    changes = compared.spark.read.format("delta").load(str(silver))
    ((newest,),) = changes.agg(F.max("bronze_version")).collect()
    late = changes.where(F.col("bronze_version") > (newest or 0) - VERSIONS).where(
        F.col("operation").isin(*CHANGES) & (F.col("feed") == model.feed)
    )
    for column, name in zip(PLACE, model.place, strict=True):
        if name is not None:
            late = late.where(F.col(column) == name)
    texts = [
        F.get("row_key", F.array_position("key_columns", F.lit(column.source_name)) - 1)
        for column in compared.key
    ]
    keys = late.select(*texts).dropna().distinct()
    return [tuple(row) for row in keys.orderBy(F.rand()).limit(MOST).collect()]
