"""The source tables of a feed as silver knows them, read with delta-rs and DuckDB."""

from dataclasses import replace
from pathlib import Path

from ingestion.config import Config, Feed
from ingestion.gold_models import Column, Table
from ingestion.tables import query_table

PLACE = ["catalog_name", "database_name", "schema_name", "table_name"]
ROWS = "('insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before')"
# Offsets of two partitions say nothing of each other: the source's time comes first.
TIME = "coalesce(changed_at, message_timestamp)"
SEEN = f'({TIME} is not null, {TIME}, bronze_version, "offset")'
TABLES = f"""
    with seen as (
        select
            {", ".join(PLACE)},
            key_columns,
            schema_id,
            max({SEEN}) as last_seen
        from changes
        where feed = ? and table_name is not null and operation in {ROWS}
        group by all
    )

    select
        {", ".join(PLACE)},
        arg_max(key_columns, last_seen) filter (key_columns is not null) as key,
        list(schema_id order by last_seen) filter (schema_id is not null) as schema_ids
    from seen
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


def source_tables(config: Config, feed: Feed) -> list[Table]:
    """Return the tables whose rows silver has, with the columns of their latest schema."""
    silver = config.tables_of("silver")
    changes, schemas = silver / f"{feed.format}_changes", silver / "schemas"
    if not (changes.exists() and schemas.exists()):
        return []
    when = ["changed_at", "message_timestamp", "bronze_version", "offset"]
    read = ["feed", *PLACE, "operation", *when]
    read_of_keys = [*read, "key_columns", "schema_id"]
    found = query_table(changes, "changes", read_of_keys, TABLES, [feed.name])
    every_id = [schema_id for *_, schema_ids in found for schema_id in schema_ids or []]
    told = _columns_of_schemas(schemas, feed, every_id)
    names_of: dict[tuple[str | None, ...], list[str]] = {}
    if any(schema_ids is None for *_, schema_ids in found):
        read_images = [*read, "after_image", "is_after_complete"]
        images = query_table(changes, "changes", read_images, IMAGES, [feed.name])
        names_of = {tuple(place): names for *place, names in images}
    tables = []
    for *place, key, schema_ids in found:
        if schema_ids is None:
            columns, gone = [Column(name) for name in names_of.get(tuple(place), [])], []
        else:
            columns, gone = _latest([told.get(schema_id, []) for schema_id in schema_ids])
        present = {column.name for column in columns}
        columns += [Column(name) for name in key or [] if name not in present]
        tables.append(Table(tuple(place), tuple(key or ()), tuple(columns), tuple(gone)))
    return tables


def _columns_of_schemas(table: Path, feed: Feed, schema_ids: list[str]) -> dict[str, list[Column]]:
    read = ["format", "schema_id", "ordinal", *COLUMNS_OF_SCHEMAS]
    columns: dict[str, list[Column]] = {}
    for name, source_type, proposed, encoding, comment, schema_id in query_table(
        table, "schemas", read, COLUMNS, [feed.format, schema_ids]
    ):
        lacks_zone = encoding == "zoned_wall_clock" and "time_zone" not in feed.meaning
        column = Column(name, source_type, proposed, comment, lacks_zone=lacks_zone)
        columns.setdefault(schema_id, []).append(column)
    return columns


def _latest(schemas: list[list[Column]]) -> tuple[list[Column], list[str]]:
    """Return the columns of the last schema, and the names that only earlier ones have."""
    *earlier, latest = schemas
    types: dict[str, list[str]] = {}
    for column in (column for schema in earlier for column in schema):
        types.setdefault(column.name, []).append(column.type)
    columns = [
        replace(column, earlier_types=tuple(types.get(column.name, ()))) for column in latest
    ]
    return columns, sorted(set(types) - {column.name for column in columns})
