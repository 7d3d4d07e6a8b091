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

# So many keys of all, so many of those that changed or were deleted lately.
MOST = 50
# Those of so many of bronze's newest versions are late.
VERSIONS = 20
# Types of which a message's key has the text that the source writes, too.
PLAIN = ("tinyint", "smallint", "int", "bigint", "string")
CHANGES = ("insert", "update", "upsert", "snapshot", "delete")
PLACE = ("catalog_name", "database_name", "schema_name", "table_name")


@dataclass(frozen=True)
class Pair:
    """One row of both sides; None where a side has no such row."""

    source: Row | None
    gold: Row | None

    @property
    def at_source(self) -> str | None:
        """Return the checksum of the source's row."""
        return self.source.checksum if self.source else None

    @property
    def differs(self) -> bool:
        """Return whether gold has another row than the source, or only one of them has one."""
        return self.at_source != (self.gold.checksum if self.gold else None)


@dataclass(frozen=True)
class Look:
    """What both sides had, and when the source was asked, by its own clock."""

    at: datetime
    pairs: dict[Key, Pair]


def look_at_some(compared: Comparison, model: Model, silver: Path, again: list[Key]) -> Look:
    """Compare rows chosen at random, and those of the keys that are to be looked at again.

    Half of them are of all that gold has, half of the newest changes, which gold may lack. The
    source is asked one statement for all. Gold is read first: what differs may be on its way.
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
    """Return keys of changed and deleted rows, where their texts are those of the source."""
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
