"""What the project's gold models declare: their calls, as their files have them, and their YAML."""

import re
from functools import cache, partial
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Undefined
from jinja2.sandbox import SandboxedEnvironment

from ingestion.config.feeds import read_project, read_vars
from ingestion.gold_models.models import Model, pattern_of
from ingestion.gold_models.proposed import ARGUMENTS, TAKEN
from ingestion.progress import say

# The macros of gold tables, with the arguments that each of their models must have.
REQUIRED = {
    "current_state": {"feed", "table", "key"},
    "current_rows": {"feed", "table"},
}
SafeLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# Columns that no message has: they hold the names of the shard.
SHARD = ("@database", "@schema", "@table")


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
        if isinstance(part, dict) and not pattern_of(part):
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
