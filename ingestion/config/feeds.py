"""The feeds, as dbt_project.yml declares them under `vars`."""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from ingestion.config.formats import Format, known_formats
from ingestion.config.project_files import default_project
from ingestion.config.settings import check_settings, kafka_options, nearest
from ingestion.errors import UserError

Offsets = dict[str, dict[int, int]]


@dataclass(frozen=True)
class Feed:
    """One configured stream of records."""

    name: str
    format: str
    topics: tuple[str, ...] = ()
    topic_pattern: str | None = None
    files: tuple[str, ...] = ()
    lines: str = "records"
    starting_offsets: str | Offsets = "earliest"
    max_offsets_per_trigger: int | None = None
    kafka: dict[str, str] = field(default_factory=dict)
    # The consumer group to which the loader commits how far bronze has come.
    group: str | None = None
    # The feed's source database, for `reconcile`: url, user, password.
    source: dict[str, str] = field(default_factory=dict)
    # Tables without a gold model: they are reported, or `run` writes their models.
    tables: str = "report"
    # Tables that need no gold model, by name; * matches anything.
    leave_out: tuple[str, ...] = ()
    # Settings that only dbt uses, but that change the meaning of the landed records.
    meaning: dict[str, Any] = field(default_factory=dict)

    @property
    def input_kind(self) -> str:
        """Return where the records come from."""
        return "files" if self.files else "kafka"

    def leaves_out(self, table: str) -> bool:
        """Return whether the table, by its name in settings, needs no gold model."""
        patterns = [re.escape(name).replace(r"\*", ".*") for name in self.leave_out]
        return any(re.fullmatch(pattern, table, re.DOTALL) for pattern in patterns)


@dataclass(frozen=True)
class Config:
    """What the loader needs to know of the project."""

    project_dir: Path
    bronze: str
    feeds: dict[str, Feed]
    # Kafka options that all feeds share.
    kafka: dict[str, str]

    @property
    def lakehouse(self) -> Path:
        """Return the folder of files that runs leave: logs, locks."""
        return self.project_dir / "lakehouse"

    def tables_of(self, schema: str) -> Path:
        """Return the folder in which the embedded target keeps a schema's tables."""
        return self.lakehouse / "warehouse" / f"{schema_name(schema)}.db"


def schema_name(schema: str) -> str:
    """Return the schema's name as profiles and macros make it, with the user's prefix."""
    return os.environ.get("LAKEHOUSE_SCHEMA_PREFIX", "") + schema


def read_config(project_dir: Path | None = None) -> Config:
    """Return the checked configuration of the project."""
    root = (project_dir or default_project()).resolve()
    variables = read_vars(root)
    shared = _shared_kafka(variables)
    formats = known_formats(root)
    feeds = {
        str(name): _feed(str(name), settings, shared, formats)
        for name, settings in (variables.get("feeds") or {}).items()
    }
    _refuse_shared_topics(list(feeds.values()))
    return Config(root, _bronze(variables, root), feeds, shared)


def choose(config: Config, names: list[str]) -> list[Feed]:
    """Return the feeds of these names, or all when no name is given."""
    for name in names:
        if name not in config.feeds:
            raise UserError(
                f"There is no feed {name} in dbt_project.yml{nearest(name, config.feeds)}: "
                f"the feeds are {', '.join(config.feeds) or 'none'}."
            )
    return [feed for feed in config.feeds.values() if not names or feed.name in names]


def read_vars(root: Path) -> dict[str, Any]:
    """Return the project's vars as they are written; feeds are not checked yet."""
    variables = _mapping_of(read_project(root).get("vars"), "vars must be a mapping.")
    _mapping_of(
        variables.get("feeds"), "vars.feeds must be a mapping of feed names to their settings."
    )
    return variables


def read_project(root: Path) -> dict[str, Any]:
    """Return the project's dbt_project.yml as it is written."""
    try:
        text = (root / "dbt_project.yml").read_bytes().decode("utf-8")
        _refuse_repeated_keys(yaml.compose(text, Loader=yaml.SafeLoader))
        project = yaml.safe_load(text)
    except FileNotFoundError:
        raise UserError(
            f"There is no dbt_project.yml in {root}: name the project's --project-dir."
        ) from None
    except OSError as error:
        raise UserError(f"dbt_project.yml cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise UserError(f"dbt_project.yml is not UTF-8, line {line}: correct it.") from None
    except yaml.YAMLError as error:
        where = getattr(error, "problem_mark", None)
        line = f", line {where.line + 1}" if where else ""
        raise UserError(f"dbt_project.yml is not valid YAML{line}: correct it.") from None
    except ValueError as error:
        raise UserError(
            f"dbt_project.yml has a value that YAML cannot read ({error}): correct it, or put it "
            "in quotes."
        ) from None
    except RecursionError:
        raise UserError(
            "dbt_project.yml is nested without end, as by an alias (*name) inside what it names: "
            "correct it."
        ) from None
    return _mapping_of(project, "dbt_project.yml must be a mapping, with vars and others.")


def _mapping_of(value: object, otherwise: str) -> dict[str, Any]:
    """Return the mapping, an empty one for nothing; a UserError with the sentence otherwise."""
    if value is not None and not isinstance(value, dict):
        raise UserError(otherwise)
    return value or {}


def _refuse_repeated_keys(node: yaml.Node | None) -> None:
    """Refuse two equal keys: YAML's readers silently take the last one."""
    if isinstance(node, yaml.SequenceNode):
        for entry in node.value:
            _refuse_repeated_keys(entry)
    elif isinstance(node, yaml.MappingNode):
        lines: dict[str, int] = {}
        for key, value in node.value:
            name, line = str(key.value), key.start_mark.line + 1
            if name in lines:
                raise UserError(
                    f"dbt_project.yml has {name} in line {lines[name]} and again in line {line}, "
                    "of which only the last would count: remove one, or rename it."
                )
            lines[name] = line
            _refuse_repeated_keys(value)


def _shared_kafka(variables: dict[str, Any]) -> dict[str, str]:
    shared = variables.get("kafka")
    try:
        return {} if shared is None else kafka_options(shared)
    except UserError as error:
        raise UserError(f"vars.{error}") from None


def _bronze(variables: dict[str, Any], root: Path) -> str:
    bronze = variables.get("bronze_path") or "lakehouse/bronze"
    if not isinstance(bronze, str):
        raise UserError("vars.bronze_path must be text: a path, or an address with ://.")
    return bronze if "://" in bronze else str(root / bronze)


def _feed(name: str, settings: object, shared: dict[str, str], formats: dict[str, Format]) -> Feed:
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise UserError(
            f"Feed {name}: a feed's name is lower-case letters, digits and underscores, "
            "and starts with a letter; rename it."
        )
    checked = check_settings(name, settings, formats)
    kafka = shared | checked.pop("kafka", {})
    if "files" not in checked and not kafka.get("bootstrap.servers"):
        raise UserError(
            f"Feed {name}: kafka has no bootstrap.servers; name the brokers under vars.kafka."
        )
    known = set(Feed.__dataclass_fields__)
    meaning = {key: value for key, value in checked.items() if key not in known}
    own = {key: value for key, value in checked.items() if key in known}
    return Feed(name=name, kafka=kafka, meaning=meaning, **own)


def _refuse_shared_topics(feeds: list[Feed]) -> None:
    claimed: dict[tuple[str, str], str] = {}
    for feed in feeds:
        for topic in feed.topics:
            owner = claimed.setdefault((feed.kafka["bootstrap.servers"], topic), feed.name)
            if owner != feed.name:
                raise UserError(
                    f"Feeds {owner} and {feed.name} both read the topic {topic}: "
                    "leave it to one of them."
                )
