"""The rows that differed, read again and put into words."""

from collections.abc import Iterator
from dataclasses import dataclass

from ingestion.reconcile.both_sides import (
    SHOWN,
    Comparison,
    Form,
    Key,
    Row,
    find_at_source,
    find_in_gold,
    gold_table,
    shown,
)
from ingestion.reconcile.compare import Reading


@dataclass(frozen=True)
class SecondReading:
    """The result of reading the first differing rows again."""

    # of rows that still differ, while the source has the same value
    lines: list[str]
    # rows that are equal now
    settled: int
    # rows of which the source has another value than before
    changing: int


def read_again(compared: Comparison, first: Reading) -> SecondReading:
    """Read the first differing rows on both sides again; gold first, so that it is never newer."""
    if not first.first:
        return SecondReading([], 0, 0)
    keys = [row.key for row in first.first]
    in_gold = find_in_gold(compared, gold_table(compared), keys)
    # for a key that only gold has, the source is asked with gold's text
    asked = [row.texts if row.at_source else row.key for row in first.first]
    at_source = find_at_source(compared, asked)
    lines: list[str] = []
    settled = changing = 0
    for row in first.first:
        source, gold = at_source.get(row.key), in_gold.get(row.key)
        now = source.checksum if source else None
        if row.has_null_in_key:
            side = "at the source" if row.at_source else "in gold"
            lines.append(f"{compared.called(row.key)}: only {side}: a key holds no NULL")
        elif now == (gold.checksum if gold else None):
            settled += 1
        elif now != row.at_source:
            changing += 1
        else:
            lines += lines_of_row(compared, row.key, source, gold)
    return SecondReading(lines, settled, changing)


def lines_of_row(
    compared: Comparison, key: Key, source: Row | None, gold: Row | None
) -> Iterator[str]:
    """Yield a line for each column that differs, or one that shows which side has it."""
    row = compared.called(key)
    if gold is None:
        yield f"{row}: only at the source"
        return
    topic, partition, offset, misfits = gold.change
    place = f"(topic {topic}, partition {partition}, offset {offset})"
    if source is None:
        yield f"{row}: only in gold {place}"
        return
    for column, mine, its in zip(compared.columns, source.forms, gold.forms, strict=True):
        if mine != its:
            start = _start(mine, its)
            what = "a misfit in gold: " if column.name in misfits else "in gold "
            yield (
                f"{row}: {column.name} is {shown(mine, start)} at the source, "
                f"{what}{shown(its, start)} {place}"
            )


def _start(one: Form, other: Form) -> int:
    """Return where to show two long texts from: shortly before their first difference."""
    pairs = enumerate(zip(one or "", other or "", strict=False))
    shorter = min(len(one or ""), len(other or ""))
    differing = next((place for place, (mine, its) in pairs if mine != its), shorter)
    return max(0, differing - SHOWN // 2)
