"""The files of generated gold models: which names are free, what is in them, written once."""

import re
from collections.abc import Sequence
from pathlib import Path

import yaml

from ingestion.config.feeds import read_project
from ingestion.errors import SOURCE, UserError
from ingestion.gold_models.declared import files_in, folders_of_dbt, model_files
from ingestion.gold_models.proposed import ARGUMENTS, Column, Table
from ingestion.local_files import replace_file

# Hive's metastore takes 128 characters, and a history has a longer name.
LONGEST_NAME = 100
JINJA = re.compile(r"\{[{%#]")
# the name of dbt's package that has the macros and tests
PACKAGE = "cdc"
TESTS = ("key_is_unique", "newest_change_wins", "every_value_fits_its_type")


def model_names(feed: str, table: Table) -> list[str]:
    """Return the names that its model may have: the table's, and longer ones with its database.

    Each is a valid name of a file and of a table in Spark, whatever the message has; there may be
    none.
    """
    words = [_word(part) for part in (feed, *table.place) if part]
    names = ["_".join(filter(None, words[start:])) for start in range(len(words) - 1, -1, -1)]
    fitting = [name for name in names if not name[:1].isdigit() and len(name) <= LONGEST_NAME]
    return list(dict.fromkeys(fitting)) if words[-1] else []


def _word(text: str) -> str:
    return re.sub(r"[^a-z0-9_]+", "_", text.lower()).strip("_")


def names_in_use(project_dir: Path) -> set[str]:
    """Return the names of dbt's nodes in lower case, in which Spark compares names of tables."""
    seeds = folders_of_dbt(project_dir, "seed-paths", "seeds")
    snapshots = folders_of_dbt(project_dir, "snapshot-paths", "snapshots")
    files = [
        *model_files(project_dir, "*.sql", "*.py"),
        *files_in(project_dir, seeds, "*.csv"),
        *files_in(project_dir, snapshots, "*.sql"),
    ]
    return {path.stem.lower() for path in files}


def tests_in(project_dir: Path) -> Sequence[str]:
    """Return the tests as the project calls them: another project calls those of the package."""
    is_package = read_project(project_dir).get("name") == PACKAGE
    return TESTS if is_package else [f"{PACKAGE}.{test}" for test in TESTS]


def folder_of_models(project_dir: Path) -> Path:
    """Return where generated models are, below the project's: in the first folder of models."""
    return folders_of_dbt(project_dir, "model-paths", "models")[0] / "gold"


def write(
    project_dir: Path,
    model: Path,
    feed: str,
    table: Table,
    described: Path | None = None,
    tests: Sequence[str] = TESTS,
) -> list[str]:
    """Write the model, and its YAML unless one describes it; return remarks.

    The columns are in the YAML. They are in the model's call where the YAML is another's, and
    where a column has a name that dbt would take for Jinja in YAML.
    The YAML is written first: a model that once is without its tests would stay without. dbt, which
    may read at the same time, sees a file whole or not at all.
    """
    own = model.with_suffix(".yml")
    if described is None and (project_dir / own).exists():
        described = own
    has_types = described is None and not any(JINJA.search(column.name) for column in table.columns)
    if described is None:
        text = yaml_text(model.stem, table, has_types, tests)
        _write(project_dir / own, text)
    columns = "" if has_types else _columns_of_call(table)
    _write(project_dir / model, sql_text(feed, table, columns))
    if described is None:
        return []
    return [
        f"{described} is there already and stays as it is: see that it has the model's columns and "
        "tests, or remove its entry and the model and generate again"
    ]


def _write(path: Path, text: str) -> None:
    try:
        replace_file(path, text.encode())
    except OSError as error:
        raise UserError(
            f"New models are files of the project, and cannot be written ({error}): let this user "
            "write there, or set tables of the feeds to report where it is auto.",
            SOURCE,
        ) from None


def sql_text(feed: str, table: Table, columns: str) -> str:
    """Return the model; names from messages are in it as string literals only."""
    place = zip(ARGUMENTS, table.place, strict=True)
    where = ", ".join(f"{name}={_literal(part)}" for name, part in place if part)
    names = {column.name: column.gold_name for column in table.columns}
    key = ", ".join(_literal(names[name]) for name in table.key)
    return (
        f"{{{{ cdc.current_state(\n    feed={_literal(feed)}, {where},\n    key=[{key}]{columns}\n"
        ") }}\n"
    )


def _columns_of_call(table: Table) -> str:
    """Return the argument `columns` of the model's call."""
    columns = ",\n".join(f"        {column.in_call()}" for column in table.columns_of_gold())
    return f",\n    columns={{\n{columns}\n    }}"


def _literal(text: str) -> str:
    """Return the text as a Jinja string, whose escapes are those of Python."""
    return repr(text)


def yaml_text(name: str, table: Table, has_types: bool, tests: Sequence[str]) -> str:
    """Return the model's YAML: what a row is, its columns with the source's comments, the tests."""
    columns = [
        {"name": column.gold_name}
        | ({"data_type": column.type} if has_types else {})
        | ({"description": text} if (text := _description(column)) else {})
        | (column.source_in_yaml() if has_types else {})
        for column in table.columns_of_gold()
    ]
    listed = ", ".join(table.key)
    model = {
        "name": name,
        "description": _plain_text(f"{table} as it is at the source now. One row per {listed}."),
        "columns": columns,
        "data_tests": list(tests),
    }
    body = {"version": 2, "models": [model]}
    return yaml.dump(body, Dumper=_Indented, sort_keys=False, allow_unicode=True, width=110)


class _Indented(yaml.SafeDumper):
    """Lists are indented, as in the project's other files."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def _description(column: Column) -> str:
    known = [column.comment, column.source_type, column.doubt()]
    return _plain_text("; ".join(part for part in known if part))


def _plain_text(text: str) -> str:
    """Return the text without what dbt would take for Jinja in a description."""
    return re.sub(r"\{(?=[{%#])", "{ ", text)
