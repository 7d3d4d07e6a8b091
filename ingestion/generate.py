"""`python -m ingestion generate`: writes gold models for the tables that a feed brings.

It reads silver with delta-rs and DuckDB, as `report` does. A table that a gold model declares
already is compared with it, and the differences are told: nothing of the user's is overwritten.
"""

import argparse
from pathlib import Path
from typing import Any

from ingestion.config import Config, Feed, choose, read_config
from ingestion.errors import OK, SOURCE, UserError
from ingestion.gold_models import Column, Table, declared_models, differences, model_name, write
from ingestion.progress import say
from ingestion.tables import query_table

PLACE = ["catalog_name", "database_name", "schema_name", "table_name"]
ROWS = "('insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before')"
# Offsets of two partitions say nothing of each other: the source's time comes first.
TIME = "coalesce(changed_at, message_timestamp)"
SEEN = f'({TIME} is not null, {TIME}, bronze_version, "offset")'
TABLES = f"""
    select
        {", ".join(PLACE)},
        arg_max(key_columns, {SEEN}) filter (key_columns is not null) as key,
        arg_max(schema_id, {SEEN}) filter (schema_id is not null) as schema_id,
        list(distinct schema_id) filter (schema_id is not null) as schema_ids
    from changes
    where feed = ? and table_name is not null and operation in {ROWS}
    group by all
    order by all
"""
# For tables whose messages tell no types: the names in their latest whole image.
IMAGES = f"""
    select
        {", ".join(PLACE)},
        arg_max(map_keys(after_image), (is_after_complete, {SEEN}))
    from changes
    where feed = ? and table_name is not null and operation in {ROWS} and after_image is not null
    group by all
"""
COLUMNS_OF_SCHEMAS = ["column_name", "source_type", "proposed_type", "wire_encoding", "comment"]
COLUMNS = f"""
    select {", ".join(COLUMNS_OF_SCHEMAS)}, schema_id
    from schemas
    where format = ? and list_contains(?, schema_id)
    order by ordinal
"""


def add_parser(
    subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]",
    common: argparse.ArgumentParser,
) -> None:
    """Describe the command line of `generate`."""
    parser = subparsers.add_parser(
        "generate", parents=[common], help="write gold models for a feed's tables"
    )
    parser.add_argument("feed", metavar="FEED")
    parser.add_argument(
        "tables", nargs="*", metavar="TABLE", help="only these, such as orders or shop.orders"
    )
    parser.set_defaults(main=main)


def main(args: argparse.Namespace) -> int:
    """Write a model and its YAML for each table without one; tell what differs for the others."""
    config = read_config(args.project_dir)
    feed = choose(config, [args.feed])[0]
    tables = _chosen(feed, _tables(config, feed), args.tables)
    declared = declared_models(config.project_dir)
    written: list[str] = []
    for table in tables:
        known = next((model for model in declared if model.is_of(feed.name, table)), None)
        if known is not None:
            _tell(known.path, table, differences(known, table))
        elif not table.key:
            say(
                f"{table}: its messages name no key. Name it under key_columns of the feed, then "
                f"`python -m ingestion rebuild {feed.name}`, and generate again; if the table has "
                "none, write its model with current_rows (docs/gold.md)."
            )
        else:
            name = model_name(config.project_dir, feed.name, table)
            path = write(config.project_dir, feed.name, name, table)
            written.append(name)
            _tell(path, table, table.doubts())
    if written:
        say(f"Next: dbt build --select {' '.join(written)}")
    return OK


def _tell(path: Path, table: Table, remarks: list[str]) -> None:
    say(f"{path}: {table}, {len(table.columns)} columns" + ("" if remarks else ", no remarks"))
    for remark in remarks:
        say(f"  {remark}")


def _chosen(feed: Feed, tables: list[Table], names: list[str]) -> list[Table]:
    if not tables:
        raise UserError(
            f"Silver has no rows of feed {feed.name} yet: run `python -m ingestion load`, then "
            "`dbt run --select silver`.",
            SOURCE,
        )
    for name in names:
        if not any(table.is_called(name) for table in tables):
            listed = ", ".join(str(table) for table in tables)
            raise UserError(f"Feed {feed.name} has brought no table {name}; it has: {listed}.")
    return [table for table in tables if not names or any(table.is_called(name) for name in names)]


def _tables(config: Config, feed: Feed) -> list[Table]:
    """Return the tables whose rows silver has, with the columns of their latest schema."""
    silver = config.tables_of("silver")
    changes, schemas = silver / f"{feed.format}_changes", silver / "schemas"
    if not (changes.exists() and schemas.exists()):
        return []
    when = ["changed_at", "message_timestamp", "bronze_version", "offset"]
    read = ["feed", *PLACE, "operation", *when]
    found = query_table(
        changes, "changes", [*read, "key_columns", "schema_id"], TABLES, [feed.name]
    )
    every_id = [schema_id for row in found for schema_id in row[-1] or []]
    read_of_schemas = ["format", "schema_id", "ordinal", *COLUMNS_OF_SCHEMAS]
    told = query_table(schemas, "schemas", read_of_schemas, COLUMNS, [feed.format, every_id])
    names_of: dict[tuple[str | None, ...], list[str]] = {}
    if any(schema_id is None for *_, schema_id, _ in found):
        read_images = [*read, "after_image", "is_after_complete"]
        images = query_table(changes, "changes", read_images, IMAGES, [feed.name])
        names_of = {tuple(place): names for *place, names in images}
    tables = []
    for *place, key, schema_id, schema_ids in found:
        if schema_id is None:
            columns, gone = [Column(name) for name in names_of.get(tuple(place), [])], []
        else:
            own = [column for column in told if column[-1] in schema_ids]
            columns, gone = _latest(own, schema_id, "time_zone" in feed.meaning)
        present = {column.name for column in columns}
        columns += [Column(name) for name in key or [] if name not in present]
        tables.append(Table(tuple(place), tuple(key or ()), tuple(columns), tuple(gone)))
    return tables


def _latest(
    told: list[tuple[Any, ...]], schema_id: str, has_time_zone: bool
) -> tuple[list[Column], list[str]]:
    """Return the columns of this schema, and the names that only earlier schemas have."""
    earlier = {name: proposed for name, _, proposed, *_, schema in told if schema != schema_id}
    columns = [
        Column(
            name,
            source_type,
            proposed,
            comment,
            earlier_type=earlier.get(name),
            lacks_zone=encoding == "zoned_wall_clock" and not has_time_zone,
        )
        for name, source_type, proposed, encoding, comment, schema in told
        if schema == schema_id
    ]
    return columns, sorted(set(earlier) - {column.name for column in columns})
