"""Gold against the source, cell by cell."""

from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from ingestion.tables import query_table
from tests.sources.configurations import Configuration
from tests.sources.tables import Column, Form, Table
from tests.support.duck import connect

Row = dict[str, str | None]
SHOWN = 3
LONGEST = 1000


@dataclass(frozen=True)
class Difference:
    table: str
    key: tuple
    column: str
    source: object
    gold: object
    # where the record stands that brought gold's row: topic, partition and offset, as one text
    record: str | None = None


def form_of(configuration: Configuration, table: Table, column: Column) -> Form:
    forms = configuration.forms
    return forms.get(f"{table.name}.{column.name}", forms.get(column.name, column.form))


def gold_rows(gold: Path, configuration: Configuration, table: Table) -> list[Row]:
    """Return gold's rows as texts, as a reader of Delta files without Spark sees them."""
    told = ", ".join(
        f"{form_of(configuration, table, column).gold.format(c=column.name, n=column.name)}"
        f' as "{column.name}"'
        for column in table.columns
    )
    record = "concat(_change.topic, ' ', _change.\"partition\", ' ', _change.sequence.\"offset\")"
    with connect() as connection:
        found = connection.execute(
            f'select {told}, {record} as "record" from delta_scan(?)', [str(gold)]
        ).fetchall()
    names = [*(column.name for column in table.columns), "record"]
    return [dict(zip(names, row, strict=True)) for row in found]


def source_columns(configuration: Configuration, table: Table) -> dict[str, str]:
    return {
        column.name: form_of(configuration, table, column).source.format(c=column.name)
        for column in table.columns
    }


def differences(
    configuration: Configuration, table: Table, source: list[Row], gold: list[Row]
) -> list[Difference]:
    """Return every cell, and every row, that is not alike on both sides."""
    name = f"{configuration.name}.{table.name}"
    forms = {column.name: form_of(configuration, table, column) for column in table.columns}
    if not table.key:
        return _of_bags(name, forms, source, gold)
    there = {_key(table, forms, row): row for row in source}
    assert len(there) == len(source), f"the source's key of {name} is none"
    here = [(_key(table, forms, row), row) for row in gold]
    counts = Counter(key for key, _ in here)
    found = [
        Difference(name, key, "(rows)", 1, count) for key, count in counts.items() if count > 1
    ]
    found += [Difference(name, key, "(row)", True, False) for key in there.keys() - counts.keys()]
    for key, row in here:
        if key not in there:
            found.append(Difference(name, key, "(row)", False, True, row["record"]))
            continue
        for column, form in forms.items():
            source_text, gold_text = there[key][column], row[column]
            if _alike(form, source_text) != _alike(form, gold_text):
                found.append(Difference(name, key, column, source_text, gold_text, row["record"]))
    return found


def _of_bags(
    name: str, forms: dict[str, Form], source: list[Row], gold: list[Row]
) -> list[Difference]:
    there, here = (
        Counter(tuple(_alike(form, row[column]) for column, form in forms.items()) for row in rows)
        for rows in (source, gold)
    )
    return [
        Difference(name, row, "(count)", there[row], here[row])
        for row in there.keys() | here.keys()
        if there[row] != here[row]
    ]


def _key(table: Table, forms: dict[str, Form], row: Row) -> tuple:
    return tuple(_alike(forms[name], row[name]) for name in table.key)


def _alike(form: Form, text: str | None) -> object:
    return None if text is None else form.alike(text)


def report(found: list[Difference], bronze: Path) -> str:
    """Return the differences as lines for a person: how many of each column, and the first of them."""
    told = [f"{len(found)} cells differ"]
    for place, alike in groupby(sorted(found, key=_place), key=_place):
        some = list(alike)
        told.append(f"{'.'.join(place)}: {len(some)}")
        told += [_told(one, bronze) for one in some[:SHOWN]]
    return "\n".join(told)


def _told(one: Difference, bronze: Path) -> str:
    told = f"  key {one.key}: source {one.source!r}, gold {one.gold!r}"
    if one.record is None:
        return told
    sql = "select decode(value) from messages where concat(topic, ' ', partition, ' ', \"offset\") = ?"
    read = ["topic", "partition", "offset", "value"]
    ((value,),) = query_table(bronze / "messages", "messages", read, sql, [one.record])
    return f"{told}\n    from {one.record}: {value[:LONGEST]}"


def _place(difference: Difference) -> tuple[str, str]:
    return difference.table, difference.column
