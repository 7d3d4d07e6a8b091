"""Gold models: what the project declares, what silver proposes, and how the two differ."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Undefined
from jinja2.sandbox import SandboxedEnvironment

from ingestion.config.feeds import read_project, read_vars
from ingestion.progress import say

# catalog, database, schema and table, as in the messages
Place = tuple[str | None, str | None, str | None, str]
ARGUMENTS = ("catalog", "database", "schema", "table")
# The macros of gold tables, with the arguments that each of their models must have.
REQUIRED = {
    "current_state": {"feed", "table", "key"},
    "current_rows": {"feed", "table"},
}
SafeLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# Columns that no message has: they hold the names of the shard.
SHARD = ("@database", "@schema", "@table")
# What the feed's time_zone must declare.
ZONES = {
    "zoned_wall_clock": "written in the producer's zone, which the feed's time_zone must name",
    "instant_millis": "an instant made from a clock in the source's zone, which the feed's "
    "time_zone must name; timestamp_ntz or date where the source has no zone",
}
NO_TYPES = (
    "the messages carry no types: every column is string until you say otherwise, and what is not "
    "written as plain text the feed's encodings must name"
)
NO_ENCODINGS = (
    "string until you say otherwise, and the feed's encodings must name how they are written (text "
    "where it is plain), since neither the messages nor a document shows it"
)
# Names that macros/project/gold_models.sql lists as those of gold itself.
TAKEN = (
    *("_change", "_row_key", "_is_deleted", "_is_rebuilt", "_sequence", "_delete_sequence"),
    *("_base_sequence", "_column_sequences", "_topic", "_partition", "_changed_at"),
    *("_image", "_wires", "_decoded", "_places", "_copies", "_newest", "_copy_number"),
)


@dataclass(frozen=True)
class Column:
    """A column as in the latest messages; without a schema they carry its name only."""

    name: str
    source_type: str | None = None
    proposed_type: str | None = None
    comment: str | None = None
    # None: it is known neither from the messages nor from a document
    wire_encoding: str | None = "text"
    # the types of earlier messages, in their order
    earlier_types: tuple[str, ...] = ()
    # its times are in the producer's zone, which the feed does not declare
    lacks_zone: bool = False
    # its type does not show whether its wall clocks are followed by a zone
    may_name_zone: bool = False
    # its rows do not show their encoding, and the feed does not declare it
    lacks_encoding: bool = False

    @property
    def type(self) -> str:
        """Return the Spark type to declare."""
        return self.proposed_type or "string"

    @property
    def gold_name(self) -> str:
        """Return a name that Delta accepts and gold does not use itself."""
        name = re.sub(r"[ ,;{}()\n\t=]+", "_", self.name)
        return f"{name}_" if name.lower() in TAKEN else name

    def in_call(self) -> str:
        """Return its declaration as an entry of a model's argument `columns`."""
        if self.gold_name == self.name:
            return f"{self.name!r}: {self.type!r}"
        return f"{self.gold_name!r}: {{'type': {self.type!r}, 'source': {self.name!r}}}"

    def source_in_yaml(self) -> dict[str, Any]:
        """Return what its declaration in YAML says of its name in the messages."""
        if self.gold_name == self.name:
            return {}
        return {"config": {"meta": {"source": self.name}}}

    def under_another_name(self, owner: str) -> str:
        """Return what to do where gold has its name for the column `owner` already."""
        return (
            f"gold takes its name for that of {owner}; declare it under another name, with the "
            f"type {self.type} and the source {self.name!r}"
        )

    def doubt(self) -> str | None:
        """Return why a person should check the type, or None."""
        source_type = self.source_type or ""
        if self.lacks_encoding:
            return f"written as {self.wire_encoding}, which the feed's encodings must name"
        if self.wire_encoding == "encoded_list":
            return (
                "a list of encoded values, which is not decoded and would be a misfit: "
                "call it text in the feed's encodings to have it as the messages do"
            )
        if others := [
            earlier for earlier in dict.fromkeys(self.earlier_types) if earlier != self.type
        ]:
            return f"earlier messages say {', '.join(others)}: their rows may not fit"
        if self.type == "string" and re.match(r"(?i)dec|num|.*decimal", source_type):
            return "more than Spark's 38 digits, or no fixed scale: string keeps them all"
        if self.type == "string" and re.match(r"(?i)time\b|.*[.](Micro|Nano)?Time$", source_type):
            return "Spark has no type for a time of day"
        if self.lacks_zone:
            return ZONES[self.wire_encoding or ""]
        if self.may_name_zone:
            return "timestamp, if its texts name a zone, such as Asia/Shanghai"
        if re.match(r"(?i)tinyint\(1\)", source_type):
            return "boolean, if it holds nothing but 0 and 1"
        return None


@dataclass(frozen=True)
class Table:
    """A source table as silver knows it."""

    place: Place
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    # columns that earlier messages had and the latest have not
    gone: tuple[str, ...] = ()
    # what its rows show beside their columns
    remark: str | None = None
    # the key that messages beside its rows carry
    key_beside_rows: tuple[str, ...] = ()
    # its source takes names that differ in case only for one column
    ignores_case: bool = False

    def __str__(self) -> str:
        return ".".join(part for part in self.place if part)

    @property
    def own_name(self) -> str:
        """Return its name in the settings of feeds, without the catalog."""
        return ".".join(part for part in self.place[1:] if part)

    def is_called(self, name: str) -> bool:
        """Return whether a user means this table, with or without the names before its own."""
        return f".{self}".endswith(f".{name}")

    def others_under_its_names(self, tables: list["Table"]) -> list["Table"]:
        """Return the tables whose rows a model declared with this one's names would have too."""
        return [
            other
            for other in tables
            if other.place != self.place
            and all(mine in (None, its) for mine, its in zip(self.place, other.place, strict=True))
        ]

    def parts_that_others_name(self, others: list["Table"]) -> str:
        """Return which parts of the name those tables have and this one lacks."""
        return " and ".join(
            part
            for part, mine, *theirs in zip(
                ARGUMENTS, self.place, *(other.place for other in others), strict=True
            )
            if mine is None and any(theirs)
        )

    def columns_of_gold(self) -> list[Column]:
        """Return the columns; of those whose names Spark takes as equal, only one."""
        owners = self._owners()
        return [column for column in self.columns if owners[column.gold_name.lower()] is column]

    def _owners(self) -> dict[str, Column]:
        """Return one column for each name as Spark compares names: one of the key, or the first."""
        owners: dict[str, Column] = {}
        for column in sorted(self.columns, key=lambda column: column.name not in self.key):
            owners.setdefault(column.gold_name.lower(), column)
        return owners

    def doubts(self) -> list[str]:
        """Return what a person should decide, one line each."""
        remarks = [self.remark] if self.remark else []
        return [*remarks, *self._doubts_of_types(), *self._left_out()]

    def _doubts_of_types(self) -> list[str]:
        columns = self.columns_of_gold()
        without_type = [column.name for column in columns if column.source_type is None]
        if len(without_type) == len(columns):
            return [NO_TYPES]
        doubts = [
            f"{column.name} is {column.type} ({column.source_type}): {doubt}"
            for column in columns
            if (doubt := column.doubt())
        ]
        return (
            doubts
            + [
                f"{name} is string until you say otherwise: no message carries its type"
                for name in without_type
            ]
            + self._doubts_of_encodings(columns)
        )

    def _doubts_of_encodings(self, columns: list[Column]) -> list[str]:
        unknown = [column for column in columns if column.wire_encoding is None]
        listed = ", ".join(f"{column.name} ({column.source_type})" for column in unknown)
        return [f"{NO_ENCODINGS}: {listed}"] if unknown else []

    def _left_out(self) -> list[str]:
        owners = self._owners()
        collided = [
            f"{column.name} is left out: {column.under_another_name(owner.name)}"
            for column in self.columns
            if (owner := owners[column.gold_name.lower()]) is not column
        ]
        return collided + [
            f"{name} is left out: only earlier messages have it" for name in self.gone
        ]


@dataclass(frozen=True)
class Model:
    """A gold model that the project has; key and columns by their names in the messages."""

    path: Path
    feed: str
    # None: the model does not declare it; {'pattern': ...}: the model reads many
    place: tuple[str | dict[str, str] | None, ...]
    # empty: a model of current_rows
    key: tuple[str, ...]
    columns: dict[str, str]
    # the columns' names in gold, and those of the shard's
    gold_names: dict[str, str]
    left_out: tuple[str, ...]
    # columns that the model does not declare come into gold when messages carry them
    adds_columns: bool
    # they are in the model's YAML, not in its call
    has_columns_in_yaml: bool = False
    # as the model's config says; None: it says none
    alias: str | None = None

    @property
    def name(self) -> str:
        """Return the name by which dbt knows the model."""
        return self.path.stem

    @property
    def table(self) -> str:
        """Return the gold table's name, which Spark writes in lower case."""
        return (self.alias or self.name).lower()

    def is_of(self, feed: str, table: Table) -> bool:
        """Return whether the model reads this table."""
        return self.reads(feed, table.place)

    def reads(self, feed: str, place: Place) -> bool:
        """Return whether the model reads this feed's table with these names in the messages."""
        return self.feed == feed and is_named_so(self.place, place)


def is_named_so(declared: tuple[str | dict[str, str] | None, ...], place: Place) -> bool:
    """Return whether a table with these names in the messages is one that the model declares."""
    return all(_is_called(mine, its) for mine, its in zip(declared, place, strict=True))


def _is_called(declared: str | dict[str, str] | None, name: str | None) -> bool:
    if isinstance(declared, dict):
        pattern = _pattern_of(declared)
        return bool(pattern and name is not None and pattern.fullmatch(name))
    return declared in (None, name)


def _pattern_of(declared: dict[str, str]) -> re.Pattern[str] | None:
    """Return the pattern; None if it is none that Python reads, which gold refuses too."""
    try:
        return re.compile(declared["pattern"])
    except (KeyError, TypeError, re.error):
        return None


def declared_models(project_dir: Path) -> list[Model]:
    """Return the models made with `current_state` or `current_rows`; show which cannot be read."""
    models: list[Model] = []
    # read only where there is a gold model
    in_yaml = cache(partial(described_models, project_dir))
    for path in model_files(project_dir, "*.sql"):
        text, name = path.read_text(encoding="utf-8"), path.relative_to(project_dir)
        if not re.search(rf"\b({'|'.join(REQUIRED)})\s*\(", text):
            continue
        try:
            calls, config = _declared(project_dir, text)
            _, described = in_yaml().get(path.stem, (None, {}))
            alias = _alias(project_dir, config, described)
            models += [_model(name, call, described, alias) for call in calls]
        except Exception as error:
            # the text is the user's: anything can be wrong with it
            say(f"{name}: cannot read this model: {' '.join(str(error).split())}")
    return models


def model_files(project_dir: Path, *patterns: str) -> list[Path]:
    """Return the project's files that match a pattern, in the folders of dbt's `model-paths`."""
    folders = folders_of_dbt(project_dir, "model-paths", "models")
    return files_in(project_dir, folders, *patterns)


def folders_of_dbt(project_dir: Path, setting: str, usual: str) -> list[Path]:
    """Return the folders that dbt_project.yml names in a setting, below the project's."""
    project = read_project(project_dir)
    target = {"profile_name": project.get("profile")}
    return [
        Path(SandboxedEnvironment().from_string(str(folder)).render(target=target))
        for folder in project.get(setting) or [usual]
    ]


def files_in(project_dir: Path, folders: list[Path], *patterns: str) -> list[Path]:
    """Return the files in these folders of the project that match a pattern."""
    found = [(project_dir / folder).rglob(pattern) for folder in folders for pattern in patterns]
    return sorted(path for paths in found for path in paths)


def described_models(project_dir: Path) -> dict[str, tuple[Path, dict[str, Any]]]:
    """Return the YAML file that describes each model, and what it says of it."""
    described: dict[str, tuple[Path, dict[str, Any]]] = {}
    for path in model_files(project_dir, "*.yml", "*.yaml"):
        try:
            content = yaml.load(path.read_text(encoding="utf-8"), Loader=SafeLoader)
            found = {entry["name"]: (path, entry) for entry in content.get("models") or []}
        except (yaml.YAMLError, AttributeError, TypeError, KeyError):
            # dbt reports what is wrong with it
            continue
        described |= found
    return described


def columns_in_yaml(described: dict[str, Any]) -> dict[str, Any]:
    """Return the columns to which a model's YAML gives a type.

    macros/project/gold_models.sql reads the same of dbt's nodes.
    """
    return {
        column["name"]: {"type": column["data_type"]} | _source(column)
        for column in described.get("columns") or []
        if column.get("data_type") and column["name"].lower() not in TAKEN
    }


def _source(column: dict[str, Any]) -> dict[str, str]:
    meta = (column.get("config") or {}).get("meta") or column.get("meta") or {}
    return {"source": meta["source"]} if "source" in meta else {}


def _alias(project_dir: Path, config: dict[str, Any], described: dict[str, Any]) -> str | None:
    """Return the table's name that a model's call of `config` gives, or its YAML, if any."""
    alias = config.get("alias")
    if isinstance(alias, Undefined):
        raise ValueError("its alias needs a value written in the model")
    if alias is None:
        in_yaml = (described.get("config") or {}).get("alias") or ""
        alias = _environment(project_dir).from_string(str(in_yaml)).render()
    return str(alias).strip() or None


def _model(path: Path, call: dict[str, Any], described: dict[str, Any], alias: str | None) -> Model:
    declared = call["columns"] if "columns" in call else columns_in_yaml(described)
    if not declared:
        raise ValueError("it names no columns, and its YAML gives none a data_type")
    for name in ARGUMENTS:
        part = call.get(name)
        if isinstance(part, dict) and not _pattern_of(part):
            raise ValueError(
                f"{name} is {part}, which is no regular expression, such as "
                "{'pattern': 'orders_[0-9]+'}"
            )
    columns = {
        name: column if isinstance(column, dict) else {"type": column}
        for name, column in declared.items()
    }
    source_names = {name: column.get("source", name) for name, column in columns.items()}
    sources = {name: source for name, source in source_names.items() if source not in SHARD}
    return Model(
        path=path,
        feed=call["feed"],
        place=tuple(call.get(name) for name in ARGUMENTS),
        key=tuple(source_names[name] for name in call.get("key", ()) if name in sources),
        columns={source: columns[name]["type"] for name, source in sources.items()},
        gold_names={source: name for name, source in source_names.items()},
        left_out=tuple(call.get("left_out", ())),
        adds_columns=call.get("new_columns") == "add",
        has_columns_in_yaml="columns" not in call,
        alias=alias,
    )


def _declared(project_dir: Path, text: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the arguments of each call of a gold macro in a model, and those of `config`."""
    calls: list[dict[str, Any]] = []
    config: dict[str, Any] = {}
    environment = _environment(project_dir)
    for name in ("ref", "source"):
        environment.globals[name] = lambda *_, **__: ""
    noted = {macro: partial(_note, calls, macro) for macro in REQUIRED}
    environment.globals |= {**noted, "cdc": noted, "config": partial(_note_config, config)}
    environment.from_string(text).render()
    return calls, config


def _environment(project_dir: Path) -> SandboxedEnvironment:
    environment = SandboxedEnvironment()
    environment.globals["var"] = partial(_var, project_dir)
    return environment


def _note_config(config: dict[str, Any], *mappings: dict[str, Any], **given: object) -> str:
    for settings in (*mappings, given):
        config.update(settings)
    return ""


def _note(calls: list[dict[str, Any]], macro: str, *unnamed: object, **given: object) -> None:
    lacking = REQUIRED[macro] - given.keys()
    unknown = {name for name, value in given.items() if isinstance(value, Undefined)}
    if unnamed or lacking or unknown:
        named = ", ".join(sorted(lacking | unknown)) or "every argument"
        raise ValueError(f"{macro} needs {named} by name, with a value written in the model")
    calls.append(given)


def _var(project_dir: Path, name: str, default: object = None) -> object:
    value = read_vars(project_dir).get(name, default)
    if value is None:
        raise ValueError(f"dbt_project.yml has no var {name}")
    return value


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
