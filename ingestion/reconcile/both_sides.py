"""The rows of a source and of gold in the same shape: each column's form, and a checksum."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import DataType

from ingestion.errors import DIFFERENT, SOURCE, UserError
from ingestion.reconcile.canonical_forms import Forms
from ingestion.reconcile.dialects import identifier
from ingestion.reconcile.sources import SourceTable, asking, read

Form = str | None
Key = tuple[Form, ...]
# Of a value so many characters are shown.
SHOWN = 120
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

    def called(self, key: Key) -> str:
        """Return the key with the names of its columns, as it is shown."""
        names = [column.name for column in self.key]
        return ", ".join(f"{name}={shown(form)}" for name, form in zip(names, key, strict=True))


@dataclass(frozen=True)
class Row:
    """One row of source or gold: the form of every column, and the checksum of them all."""

    forms: tuple[Form, ...]
    checksum: str
    # in gold: coordinates of its newest change, names of its misfits
    change: tuple[Any, ...]


def gold_table(compared: Comparison) -> DataFrame:
    """Return the gold table as it is now; it must have the model's columns in their types."""
    gold = compared.spark.read.format("delta").load(str(compared.gold_path))
    types = {field.name.lower(): field.dataType.simpleString() for field in gold.schema}
    for column in compared.columns:
        built, declared = types.get(column.name.lower()), _plain(column.type)
        if built == declared:
            continue
        what = f"{column.name} is {built}, and the model declares {declared}"
        if built is None:
            what = f"there is no column {column.name}, which the model declares"
        raise UserError(f"In gold's {compared.gold_path.name} {what}: run `dbt run`.", SOURCE)
    return gold


def _plain(type_text: str) -> str:
    """Return the type as Spark writes it: decimal( 5 ) is decimal(5,0)."""
    return DataType.fromDDL(type_text).simpleString()


def find_at_source(compared: Comparison, keys: list[Key]) -> dict[Key, Row]:
    """Return the source's rows of these keys now; the keys are texts of the source or of gold.

    A key with a NULL finds none.
    """
    table = compared.table
    names = [column.source_name for column in compared.key]
    whole = [[form for form in key if form is not None] for key in keys]
    literals = [
        ", ".join(table.literal(name, form) for name, form in zip(names, key, strict=True))
        for key in whole
        if len(key) == len(names)
    ]
    if not literals:
        return {}
    values = ", ".join(f"({listed})" for listed in literals)
    condition = f"({', '.join(identifier(name) for name in names)}) in ({values})"
    with asking(table.source):
        return _collected(compared, rows_of_source(compared, condition), not_unique_at_source)


def find_in_gold(compared: Comparison, gold: DataFrame, keys: list[Key]) -> dict[Key, Row]:
    """Return gold's rows of these keys."""
    types = ", ".join(f"{name} string" for name in compared.key_forms)
    wanted = compared.spark.createDataFrame(keys, types)
    found = rows_in_gold(compared, gold).join(wanted, on=compared.key_forms, how="left_semi")
    return _collected(compared, found, not_unique_in_gold)


def _collected(
    compared: Comparison,
    found: DataFrame,
    not_unique: Callable[[Comparison, Key, int], UserError],
) -> dict[Key, Row]:
    """Return the row of each key; of a key that has several, one row comes here to be refused."""
    width, keys = len(compared.columns), compared.key_forms
    others = [name for name in ("topic", "partition", "offset", "misfits") if name in found.columns]
    forms = [f"form_{number}" for number in range(width)]
    one_each = with_copies(found, keys).dropDuplicates(keys)
    rows = one_each.select("copies", *forms, "checksum", *others).collect()
    collected = {}
    for copies, *row in rows:
        key = tuple(row[: len(keys)])
        if copies > 1:
            raise not_unique(compared, key, copies)
        collected[key] = Row(tuple(row[:width]), row[width], tuple(row[width + 1 :]))
    return collected


def with_copies(table: DataFrame, keys: list[str]) -> DataFrame:
    """Return the rows, each with the number of those that have its key; a NULL is no key."""
    is_whole = " and ".join(f"{key} is not null" for key in keys)
    of_key = f"count(*) over (partition by {', '.join(keys)})"
    return table.selectExpr("*", f"if({is_whole}, {of_key}, 1) as copies")


def not_unique_at_source(compared: Comparison, key: Key, copies: int) -> UserError:
    """Return what is wrong where the source has several rows of a key: gold can have one."""
    return UserError(
        f"The source has {copies:,} rows of {compared.called(key)} in {compared.table.relation}, "
        "and gold has one row of a key: the model's key is not unique there. Correct it, or the "
        "types of its columns.",
        DIFFERENT,
    )


def not_unique_in_gold(compared: Comparison, key: Key, copies: int) -> UserError:
    """Return what is wrong where gold has several rows of a key."""
    return UserError(
        f"Gold has {copies:,} rows of {compared.called(key)} for {compared.table.relation}, where "
        "a key has one: build the table again (`dbt run --full-refresh --select MODEL`).",
        DIFFERENT,
    )


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


def shown(form: Form, start: int = 0) -> str:
    """Return a value as it is shown, from this character on."""
    if form is None:
        return "NULL"
    part = form[start : start + SHOWN]
    before, after = "…" if start else "", "…" if len(form) > start + SHOWN else ""
    return before + json.dumps(part, ensure_ascii=False) + after
