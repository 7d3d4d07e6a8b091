"""One row of a source against the same row of gold."""

from ingestion.errors import UserError
from ingestion.progress import say
from ingestion.reconcile.both_sides import (
    Column,
    Comparison,
    Key,
    find_at_source,
    find_in_gold,
    gold_table,
)
from ingestion.reconcile.compare import Differing, Reading
from ingestion.reconcile.sources import HEX, NUMBER

NUMBERS = ("number", "float", "double")


def compare_row(compared: Comparison, key: Key) -> Reading:
    """Return the result of a first reading of this row; show whether source and gold have it.

    The key's texts are as the source or gold writes them, in the order of `compared.key`.
    """
    key = tuple(_written(compared, *one) for one in zip(compared.key, key, strict=True))
    at_source = find_at_source(compared, [key])
    # by its collation the source may find a row with another text
    form = key if key in at_source else next(iter(at_source), key)
    source = at_source.get(form)
    gold = find_in_gold(compared, gold_table(compared), [form]).get(form)
    both = {"at the source": source, "in gold": gold}
    missing = [side for side, row in both.items() if row is None]
    say(f"  the row is {' and '.join(f'not {side}' for side in missing) or 'on both sides'}")
    checksum = source.checksum if source else None
    if checksum == (gold.checksum if gold else None):
        return Reading(0, 0, 0, 0, [], is_nowhere=source is None)
    differing = Differing(form, checksum, key)
    return Reading(0, 1, int(gold is None), int(source is None), [differing])


def _written(compared: Comparison, column: Column, text: str) -> str:
    """Return a text of --key as source and gold write it; refuse what neither can have."""
    kind = compared.table.kind(column.source_name)
    # MariaDB would use the number at the start of a text
    if kind in NUMBERS and not NUMBER.fullmatch(text):
        raise UserError(f"--key {text}: {column.name} is a number.")
    if kind != "bytes":
        return text
    if not HEX.fullmatch(text.upper()):
        raise UserError(f"--key {text}: {column.name} has bytes: write each as two of 0-9, A-F.")
    return text.upper()
