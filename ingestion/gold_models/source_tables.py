"""The source tables of a feed as silver knows them, read with delta-rs and DuckDB."""

import json
from dataclasses import replace
from pathlib import Path

from ingestion.config.feeds import Config, Feed
from ingestion.config.settings import ENCODINGS
from ingestion.gold_models.partitioned import remarks_on_partitioned
from ingestion.gold_models.proposed import Column, Place, Table
from ingestion.sniff.recognise import mapping
from ingestion.tables import query_table

# Encodings that only the feed can declare where rows do not show them.
ENCODED = set(ENCODINGS) - {"text"}
# Formats of OMS in which the name of a zone may follow a DATETIME.
MAY_NAME_ZONE = {"canal_json_oms", "dataworks_v2", "oms_default_ext"}
# Encodings of times in a zone that only the feed's time_zone declares.
OF_A_ZONE = {"zoned_wall_clock", "instant_millis"}
PLACE = ["catalog_name", "database_name", "schema_name", "table_name"]
ROWS = "('insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before')"
# Messages beside a table's rows that may carry its types where rows do not.
BESIDE_ROWS = "('schema_change', 'truncate', 'ignored')"
# Formats in which a delete may carry the types of its key alone.
DELETES_OF_A_KEY = {"debezium_smt", "oms_debezium_smt"}
# Sources that take names of columns which differ in case only for one, as macros/gold/sql has them.
IGNORING_CASE = "('mysql', 'mariadb', 'tidb')"
# Offsets of two partitions cannot be compared: the source's time comes first.
TIME = "coalesce(changed_at, message_timestamp)"
SEEN = f'({TIME} is not null, {TIME}, bronze_version, "offset")'
TABLES = f"""
    with seen as (
        select
            {", ".join(PLACE)},
            key_columns,
            case when operation <> 'delete' or not $2 then schema_id end as schema_id,
            operation in {ROWS} as is_row,
            source_type in {IGNORING_CASE} as ignores_case,
            -- types beside rows, which may name the key
            case when operation in {BESIDE_ROWS} then schema_text end as types,
            max({SEEN}) as last_seen
        from changes
        where
            feed = $1
            and table_name is not null
            and (operation in {ROWS} or (operation in {BESIDE_ROWS} and schema_id is not null))
        group by all
    )

    select
        {", ".join(PLACE)},
        arg_max(key_columns, last_seen) filter (is_row and key_columns is not null) as key,
        coalesce(
            list(schema_id order by last_seen) filter (is_row and schema_id is not null), []
        ) as of_rows,
        coalesce(list(schema_id order by last_seen) filter (not is_row), []) as beside_rows,
        coalesce(arg_max(ignores_case, last_seen) filter (is_row), false) as ignores_case,
        arg_max(types, last_seen) filter (types is not null) as types
    from seen
    group by all
    having bool_or(is_row)
    order by all
"""
# For tables whose messages carry no types: the names in their latest complete image.
IMAGES = f"""
    select
        {", ".join(PLACE)},
        arg_max(map_keys(after_image), (is_after_complete, {SEEN}))
    from changes
    where feed = ? and table_name is not null and operation in {ROWS} and after_image is not null
    group by all
"""
KNOWN_PLACES = f"""
    select distinct {", ".join(PLACE)} from source_tables where feed = ? and has_rows order by all
"""
READ = ["feed", *PLACE, "operation", "changed_at", "message_timestamp", "bronze_version", "offset"]
COLUMNS_OF_SCHEMAS = ["column_name", "source_type", "proposed_type", "wire_encoding", "comment"]
COLUMNS = f"""
    select {", ".join(COLUMNS_OF_SCHEMAS)}, schema_id
    from schemas
    where format = ? and list_contains(?, schema_id)
    order by ordinal
"""


def known_places(config: Config, feed: Feed) -> list[Place]:
    """Return the names of the tables that have rows, read from a small table."""
    known = config.tables_of("silver") / "source_tables"
    if not known.exists():
        return []
    read = ["feed", "has_rows", *PLACE]
    return [
        tuple(place)
        for place in query_table(known, "source_tables", read, KNOWN_PLACES, [feed.name])
    ]


def source_tables(config: Config, feed: Feed) -> list[Table]:
    """Return the tables whose rows silver has, with the columns of their latest schema."""
    silver = config.tables_of("silver")
    changes, schemas = silver / f"{feed.format}_changes", silver / "schemas"
    if not (changes.exists() and schemas.exists()):
        return []
    read = [*READ, "source_type", "key_columns", "schema_id", "schema_text"]
    asked = [feed.name, feed.format in DELETES_OF_A_KEY]
    found = query_table(changes, "changes", read, TABLES, asked)
    every_id = [one for *_, of_rows, beside_rows, _, _ in found for one in (*of_rows, *beside_rows)]
    columns_of = _columns_of_schemas(schemas, feed, every_id)
    names_of: dict[tuple[str | None, ...], list[str]] = {}
    if any(columns_of.keys().isdisjoint(of_rows) for *_, of_rows, _, _, _ in found):
        read = [*READ, "after_image", "is_after_complete"]
        images = query_table(changes, "changes", read, IMAGES, [feed.name])
        names_of = {tuple(place): names for *place, names in images}
    remarks = remarks_on_partitioned(changes, feed)
    tables = []
    for *place, key, of_rows, beside_rows, ignores_case, types in found:
        carried = [columns_of[schema_id] for schema_id in of_rows if schema_id in columns_of]
        if carried:
            columns, gone = _latest(carried)
            columns = _with_encodings(columns, feed, place)
        else:
            carried = [
                columns_of[schema_id] for schema_id in beside_rows if schema_id in columns_of
            ]
            columns, gone = _beside_rows(feed, place, carried, names_of.get(tuple(place), []))
        present = {column.name for column in columns}
        columns += [Column(name) for name in key or [] if name not in present]
        tables.append(
            Table(
                tuple(place),
                tuple(key or ()),
                tuple(columns),
                tuple(gone),
                remarks.get(tuple(place)),
                key_beside_rows(types),
                ignores_case,
            )
        )
    return tables


def key_beside_rows(types: str | None) -> tuple[str, ...]:
    """Return the key that types beside rows carry, in CloudCanal, AWS DMS and Qlik Replicate."""
    try:
        carried = json.loads(types or "{}")
    except ValueError:
        return ()
    carried = carried if isinstance(carried, dict) else {}
    named = mapping(mapping(carried, "tableChanges"), "table").get("primaryKeyColumnNames")
    named = named or mapping(carried, "primary-key").get("fields")
    if not named:
        places = {
            name: column.get("primaryKeyPosition")
            for name, column in mapping(carried, "tableColumns").items()
            if isinstance(column, dict)
        }
        placed = [name for name, place in places.items() if isinstance(place, int) and place > 0]
        named = sorted(placed, key=places.__getitem__)
    return tuple(name for name in named if isinstance(name, str))


def _beside_rows(
    feed: Feed, place: list[str | None], carried: list[list[Column]], names: list[str]
) -> tuple[list[Column], list[str]]:
    """Return the columns of a table whose rows carry these names and no types."""
    latest, gone = _latest(carried or [[]])
    named = _named_encodings(feed, place)
    columns = [
        replace(column, lacks_encoding=column.wire_encoding in ENCODED and column.name not in named)
        for column in _with_encodings(latest, feed, place)
    ]
    known = {column.name for column in columns} | set(gone)
    return columns + [Column(name) for name in names if name not in known], gone


def _with_encodings(columns: list[Column], feed: Feed, place: list[str | None]) -> list[Column]:
    """Return the columns, with the feed's encodings where no other is known."""
    named = _named_encodings(feed, place)
    return [
        replace(column, wire_encoding=column.wire_encoding or named.get(column.name))
        for column in columns
    ]


def _named_encodings(feed: Feed, place: list[str | None]) -> dict[str, str]:
    """Return the encodings that the feed declares for a table, by column."""
    table = ".".join(part for part in place[1:] if part)
    return feed.meaning.get("encodings", {}).get(table, {})


def _columns_of_schemas(table: Path, feed: Feed, schema_ids: list[str]) -> dict[str, list[Column]]:
    read = ["format", "schema_id", "ordinal", *COLUMNS_OF_SCHEMAS]
    columns: dict[str, list[Column]] = {}
    for name, source_type, proposed, encoding, comment, schema_id in query_table(
        table, "schemas", read, COLUMNS, [feed.format, schema_ids]
    ):
        lacks_zone = encoding in OF_A_ZONE and "time_zone" not in feed.meaning
        may_name_zone = feed.format in MAY_NAME_ZONE and proposed == "timestamp_ntz"
        column = Column(
            name,
            source_type,
            proposed,
            comment,
            encoding,
            lacks_zone=lacks_zone,
            may_name_zone=may_name_zone,
        )
        columns.setdefault(schema_id, []).append(column)
    return columns


def _latest(schemas: list[list[Column]]) -> tuple[list[Column], list[str]]:
    """Return the columns of the last schema, and the names that only earlier schemas have."""
    *earlier, latest = schemas
    types: dict[str, list[str]] = {}
    for column in (column for schema in earlier for column in schema):
        types.setdefault(column.name, []).append(column.type)
    columns = [
        replace(column, earlier_types=tuple(types.get(column.name, ()))) for column in latest
    ]
    return columns, sorted(set(types) - {column.name for column in columns})
