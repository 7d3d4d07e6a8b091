"""The project over all configurations: its feeds, its models, and how its gold compares with the sources."""

import dataclasses
from pathlib import Path

from ingestion.tables import query_table
from tests.sources import mariadb_tables, postgres_tables
from tests.sources.compare import Difference, differences, gold_rows, source_columns
from tests.sources.configurations import Configuration
from tests.sources.project import Project
from tests.sources.tables import Table
from tests.sources.world import CONFIGURATIONS, World


def tables_of(configuration: Configuration) -> list[Table]:
    """Return the tables that a configuration captures, with the key that its gold has."""
    tables = postgres_tables.TABLES
    if configuration.schema == "shop":
        tables = (*mariadb_tables.TABLES, mariadb_tables.LATE)
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
# a Canal that was killed repeats messages, and none of them tells its position
UNTOLD_REPETITION = {("canal_one", "keyless"), ("canal_hash", "keyless")}
# every other gold table: (configuration, table)
EQUAL = [
    (one.name, table.name)
    for one in CONFIGURATIONS
    for table in tables_of(one)
    if (one.name, table.name) not in UNTOLD_KEYS | UNTOLD_ORDER
]
EQUAL_AFTER_FAULTS = [place for place in EQUAL if place not in UNTOLD_REPETITION]


def configuration(name: str) -> Configuration:
    return next(one for one in CONFIGURATIONS if one.name == name)


def _feed(configuration: Configuration) -> dict[str, object]:
    if "format" in configuration.feed:
        return configuration.feed
    topics = rf"{configuration.name}\..*"
    return {"format": "debezium_json", "topic_pattern": topics} | configuration.feed


def make_project(folder: Path, world: World) -> Project:
    feeds = {one.name: _feed(one) for one in CONFIGURATIONS}
    return Project(folder, world.broker.servers, feeds)


def write_models(project: Project) -> None:
    """Let `generate` write the models of feeds that tell types; write the others as a user would.

    Those are tables without a key, too, and one whose type a user knows better than its messages.
    """
    for one in CONFIGURATIONS:
        place = {"database": "shop"}
        if one.schema != "shop":
            place = {"database": "postgres", "schema": one.schema}
        tables = tables_of(one)
        generated = [
            table for table in tables if table.key and one.is_typed and table.name != "late"
        ]
        if generated:
            project.generate(one.name, *(table.name for table in generated))
        for table in tables:
            if table not in generated:
                project.write_model(one, table, place)


def changes(project: Project, format_name: str, columns: list[str], sql: str) -> list[tuple]:
    """Return what a query of a format's changes in silver finds."""
    silver = project.folder / "lakehouse" / "warehouse" / "silver.db"
    return query_table(silver / f"{format_name}_changes", "changes", columns, sql)


def compare(world: World, project: Project) -> dict[tuple[str, str], list[Difference]]:
    """Return for each configuration and table the cells that differ."""
    found = {}
    for one in CONFIGURATIONS:
        for table in tables_of(one):
            relation = one.relations.get(table.name, f"{one.schema}.{table.name}")
            source = world.source(one).rows(source_columns(one, table), relation)
            gold = gold_rows(project.gold(one, table.name), one, table)
            found[one.name, table.name] = differences(one, table, source, gold)
    return found
