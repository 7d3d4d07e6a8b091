"""The rows of a source and of gold in the same shape: each column's form, and a checksum."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from ingestion.reconcile.canonical_forms import Forms
from ingestion.reconcile.dialects import identifier
from ingestion.reconcile.sources import SourceTable, asking, read

Form = str | None
Key = tuple[Form, ...]
# What gold has on a row beside its columns.
CHANGE = [
    "_change.topic as topic",
    "_change.partition as partition",
    "_change.sequence.offset as offset",
    "_change.misfits.column_name as misfits",
]


@dataclass(frozen=True)
class Column:
    """A column that source and gold both have."""

    name: str
    source_name: str
    type: str


@dataclass(frozen=True)
class Comparison:
    """A table of the source and the gold table that it is compared with."""

    spark: SparkSession
    table: SourceTable
    gold_path: Path
    forms: Forms
    # in the order of the source's index
    key: tuple[Column, ...]
    columns: tuple[Column, ...]

    @property
    def key_forms(self) -> list[str]:
        """Return the names of the columns with the key's forms."""
        return [f"form_{number}" for number in range(len(self.key))]

    @property
    def key_texts(self) -> list[str]:
        """Return the names of the columns with the source's own texts of the key."""
        return [f"text_{number}" for number in range(len(self.key))]


@dataclass(frozen=True)
class Row:
    """One row of source or gold: the form of every column, and the checksum of them all."""

    forms: tuple[Form, ...]
    checksum: str
    # in gold: coordinates of its newest change, names of its misfits
    change: tuple[Any, ...]


def gold_table(compared: Comparison) -> DataFrame:
    """Return the gold table as it is now."""
    return compared.spark.read.format("delta").load(str(compared.gold_path))


def find_at_source(compared: Comparison, keys: list[Key]) -> dict[Key, Row]:
    """Return the source's rows of these keys now; the keys are texts of the source or of gold."""
    table = compared.table
    names = [column.source_name for column in compared.key]
    literals = [
        ", ".join(table.literal(name, form or "") for name, form in zip(names, key, strict=True))
        for key in keys
    ]
    values = ", ".join(f"({listed})" for listed in literals)
    condition = f"({', '.join(identifier(name) for name in names)}) in ({values})"
    with asking(table.source):
        return _collected(compared, rows_of_source(compared, condition))


def find_in_gold(compared: Comparison, gold: DataFrame, keys: list[Key]) -> dict[Key, Row]:
    """Return gold's rows of these keys."""
    types = ", ".join(f"{name} string" for name in compared.key_forms)
    wanted = compared.spark.createDataFrame(keys, types)
    found = rows_in_gold(compared, gold).join(wanted, on=compared.key_forms, how="left_semi")
    return _collected(compared, found)


def _collected(compared: Comparison, found: DataFrame) -> dict[Key, Row]:
    width = len(compared.columns)
    others = [name for name in ("topic", "partition", "offset", "misfits") if name in found.columns]
    forms = [f"form_{number}" for number in range(width)]
    return {
        tuple(row[: len(compared.key)]): Row(
            tuple(row[:width]), row[width], tuple(row[width + 1 :])
        )
        for row in found.select(*forms, "checksum", *others).collect()
    }


def rows_of_source(compared: Comparison, condition: str) -> DataFrame:
    """Return the source's rows of a condition; one statement reads them, once they are used."""
    table = compared.table
    texts = ", ".join(
        f"{table.text(column.source_name)} as text_{number}"
        for number, column in enumerate(compared.columns)
    )
    sql = f"select {texts} from {table.relation} where {condition}"
    forms = [
        compared.forms.of_source(f"text_{number}", table.kind(column.source_name), column.type)
        for number, column in enumerate(compared.columns)
    ]
    return _with_checksum(read(compared.spark, table.source, sql), forms, compared.key_texts)


def rows_in_gold(compared: Comparison, gold: DataFrame) -> DataFrame:
    """Return all rows of gold, each with the columns of CHANGE."""
    forms = [
        compared.forms.of_gold(column.name, compared.table.kind(column.source_name), column.type)
        for column in compared.columns
    ]
    return _with_checksum(gold, forms, CHANGE)


def _with_checksum(table: DataFrame, forms: list[str], others: list[str]) -> DataFrame:
    named = [f"{form} as form_{number}" for number, form in enumerate(forms)]
    listed = ", ".join(f"form_{number}" for number in range(len(forms)))
    checksum = f"md5(to_json(struct({listed}))) as checksum"
    return table.selectExpr(*named, *others).selectExpr("*", checksum)
