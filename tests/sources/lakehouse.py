"""The project over all configurations: its feeds, its models, and how its gold compares with the sources."""

import dataclasses
from pathlib import Path

from tests.sources import mariadb_tables, postgres_tables
from tests.sources.compare import Difference, differences, gold_rows, source_columns
from tests.sources.configurations import Configuration
from tests.sources.project import Project
from tests.sources.tables import Table
from tests.sources.world import CONFIGURATIONS, World


def tables_of(configuration: Configuration) -> list[Table]:
    """Return the tables that a configuration captures, with the key that its gold has."""
    tables = mariadb_tables.TABLES if configuration.schema == "shop" else postgres_tables.TABLES
    known = {table.name: table for table in tables}
    return [_as_captured(configuration, known[name]) for name in configuration.tables]


def _as_captured(configuration: Configuration, table: Table) -> Table:
    left_out = configuration.left_out
    columns = tuple(
        column for column in table.columns if f"{table.name}.{column.name}" not in left_out
    )
    key = configuration.keys.get(table.name, table.key)
    return dataclasses.replace(table, key=key, columns=columns)


# what tests/sources/test_limits.py proves to differ, and how
UNTOLD_KEYS = {("pg_default", "rekeyed"), ("ma_default", "rekeyed")}
UNTOLD_ORDER = {
    ("canal_hash", table) for table in ("everything", "composite", "rekeyed", "emptied")
}
# every other gold table: (configuration, table)
EQUAL = [
    (one.name, table.name)
    for one in CONFIGURATIONS
    for table in tables_of(one)
    if table.key and (one.name, table.name) not in UNTOLD_KEYS | UNTOLD_ORDER
]


def _feed(configuration: Configuration) -> dict[str, object]:
    if "format" in configuration.feed:
        return configuration.feed
    topics = rf"{configuration.name}\..*"
    return {"format": "debezium_json", "topic_pattern": topics} | configuration.feed


def make_project(folder: Path, world: World) -> Project:
    feeds = {one.name: _feed(one) for one in CONFIGURATIONS}
    return Project(folder, world.broker.servers, feeds)


def write_models(project: Project) -> None:
    """Let `generate` write the models of feeds that tell types; write the others as a user would."""
    for one in CONFIGURATIONS:
        if one.is_typed:
            project.generate(one.name, *(table.name for table in tables_of(one) if table.key))
            continue
        place = {"database": "shop"}
        if one.schema != "shop":
            place = {"database": "postgres", "schema": one.schema}
        for table in tables_of(one):
            if table.key:
                project.write_model(one, table, place)


def compare(world: World, project: Project) -> dict[tuple[str, str], list[Difference]]:
    """Return for each configuration and table the cells that differ."""
    found = {}
    for one in CONFIGURATIONS:
        for table in tables_of(one):
            if not table.key:
                continue
            relation = one.relations.get(table.name, f"{one.schema}.{table.name}")
            source = world.source(one).rows(source_columns(one, table), relation)
            gold = gold_rows(project.gold(one, table.name), one, table)
            found[one.name, table.name] = differences(one, table, source, gold)
    return found
