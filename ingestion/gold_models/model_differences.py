"""How a gold model and what silver proposes of its table differ."""

from collections.abc import Iterator
from typing import Any

import yaml

from ingestion.gold_models.models import Model
from ingestion.gold_models.proposed import Column, Table


def differences(model: Model, table: Table) -> list[str]:
    """Return where the messages differ from what the model declares, one line each."""
    columns = _spelled_as_declared(model, table)
    carried = {name: column.type for name, column in columns.items()}
    without_type = {name for name, column in columns.items() if column.source_type is None}
    undeclared = [
        column
        for name, column in columns.items()
        if not (model.adds_columns or name in model.columns or name in model.left_out)
    ]
    lines = [f"+ {line}" for line in _proposed(model, undeclared)]
    lines += [
        f"- {name!r}: the latest messages have no such column"
        for name in model.columns
        if name not in carried
    ]
    lines += [
        f"~ {name!r}: declared as {model.columns[name]!r}, the messages suggest {wanted!r}"
        for name, wanted in carried.items()
        if name in model.columns.keys() - without_type
        and _plain(model.columns[name]) != _plain(wanted)
    ]
    if table.key and model.key and set(table.key) != set(model.key):
        lines.append(f"~ key: declared as {list(model.key)}, the messages say {list(table.key)}")
    return lines


def _spelled_as_declared(model: Model, table: Table) -> dict[str, Column]:
    """Return the table's columns, by the model's spelling where gold takes both for one name.

    macros/gold/sql/spelled_as_declared.sql does the same with the images.
    """
    named = {column.name: column for column in table.columns}
    if not table.ignores_case or len({name.lower() for name in named}) < len(named):
        return named
    declared = [*model.columns, *model.left_out]
    spelled = {name.lower(): name for name in declared}
    return {
        name if name in declared else spelled.get(name.lower(), name): column
        for name, column in named.items()
    }


def _proposed(model: Model, undeclared: list[Column]) -> Iterator[str]:
    """Yield the declaration of each column as it is written where the model's columns are."""
    owners = {gold_name.lower(): name for name, gold_name in model.gold_names.items()}
    for column in undeclared:
        owner = owners.setdefault(column.gold_name.lower(), column.name)
        if owner != column.name:
            yield f"{column.name!r}: {column.under_another_name(owner)}"
        elif model.has_columns_in_yaml:
            declared = {"name": column.gold_name, "data_type": column.type}
            yield f"- {_in_one_line(declared | column.source_in_yaml())}"
        else:
            yield column.in_call()


def _in_one_line(entry: dict[str, Any]) -> str:
    text = yaml.safe_dump(
        entry, default_flow_style=True, sort_keys=False, allow_unicode=True, width=10**6
    )
    return text.strip()


def _plain(type_text: str) -> str:
    return type_text.lower().replace(" ", "")
