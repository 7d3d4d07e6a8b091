"""The source tables of a feed as silver knows them, read with delta-rs and DuckDB."""

from typing import Any

from ingestion.config import Config, Feed
from ingestion.gold_models import Column, Table
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


def source_tables(config: Config, feed: Feed) -> list[Table]:
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
