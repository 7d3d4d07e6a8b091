"""`python -m ingestion generate`: writes gold models for the tables that a feed brings.

It reads silver with delta-rs and DuckDB, as `report` does. A table that a gold model declares
already is compared with it, and the differences are told: nothing of the user's is overwritten.
"""

import argparse
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
from deltalake import DeltaTable

from ingestion.config import Config, Feed, choose, read_config
from ingestion.errors import OK, SOURCE, UserError
from ingestion.gold_models import Column, Table, declared_models, differences, model_name, write
from ingestion.progress import say

ROWS = "('insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before')"
TABLES = f"""
    select
        catalog_name,
        database_name,
        schema_name,
        table_name,
        arg_max(key_columns, (bronze_version, "offset")) filter (key_columns is not null) as key,
        arg_max(schema_id, (bronze_version, "offset")) filter (schema_id is not null) as schema_id,
        list(distinct schema_id) filter (schema_id is not null) as schema_ids
    from changes
    where feed = ? and table_name is not null and operation in {ROWS}
    group by all
    order by all
"""
# For tables whose messages tell no types: the names in their latest whole image.
IMAGES = f"""
    select
        arg_max(map_keys(after_image), (is_after_complete, bronze_version, "offset"))
    from images
    where
        feed = ? and operation in {ROWS} and after_image is not null
        and (catalog_name, database_name, schema_name, table_name) is not distinct from (?, ?, ?, ?)
"""
COLUMNS = """
    select column_name, source_type, proposed_type, wire_encoding, comment, schema_id
    from schemas
    where format = ? and list_contains(?, schema_id)
    order by ordinal
"""
READ = {
    "changes": [
        "feed",
        "catalog_name",
        "database_name",
        "schema_name",
        "table_name",
        "operation",
        "key_columns",
        "schema_id",
        "bronze_version",
        "offset",
    ],
    "images": [
        "feed",
        "catalog_name",
        "database_name",
        "schema_name",
        "table_name",
        "operation",
        "after_image",
        "is_after_complete",
        "bronze_version",
        "offset",
    ],
    "schemas": [
        "format",
        "schema_id",
        "ordinal",
        "column_name",
        "source_type",
        "proposed_type",
        "wire_encoding",
        "comment",
    ],
}


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
                f"`python -m ingestion rebuild {feed.name}`, and generate again."
            )
        else:
            name = model_name(config.project_dir, feed.name, table)
            path = write(config.project_dir, feed.name, name, table)
            written.append(name)
            _tell(path, table, table.doubts("time_zone" in feed.meaning))
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
    with duckdb.connect() as connection:
        connection.register("changes", _read(changes, "changes"))
        connection.register("schemas", _read(schemas, "schemas").read_all())
        tables = []
        for *place, key, schema_id, schema_ids in connection.execute(
            TABLES, [feed.name]
        ).fetchall():
            if schema_id is None:
                connection.register("images", _read(changes, "images"))
                (names,) = connection.execute(IMAGES, [feed.name, *place]).fetchone() or (None,)
                columns, gone = [Column(name) for name in names or []], []
            else:
                told = connection.execute(COLUMNS, [feed.format, schema_ids]).fetchall()
                columns, gone = _latest(told, schema_id)
            present = {column.name for column in columns}
            columns += [Column(name) for name in key or [] if name not in present]
            tables.append(Table(tuple(place), tuple(key or ()), tuple(columns), tuple(gone)))
    return tables


def _read(table: Path, columns: str) -> pa.RecordBatchReader:
    """Return the columns as a stream: changes may be many, and DuckDB reads them as they come."""
    return DeltaTable(str(table)).to_pyarrow_dataset().scanner(columns=READ[columns]).to_reader()


def _latest(told: list[tuple[Any, ...]], schema_id: str) -> tuple[list[Column], list[str]]:
    """Return the columns of this schema, and the names that only earlier schemas have."""
    earlier = {name: proposed for name, _, proposed, *_, schema in told if schema != schema_id}
    latest = [column for *column, schema in told if schema == schema_id]
    columns = [Column(*column, earlier_type=earlier.get(column[0])) for column in latest]
    return columns, sorted(set(earlier) - {column.name for column in columns})
