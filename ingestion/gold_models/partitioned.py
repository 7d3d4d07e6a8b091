"""Partitioned tables of PostgreSQL: a snapshot carries their rows under two names."""

from pathlib import Path

from ingestion.config.feeds import Feed
from ingestion.tables import query_table

FORMATS = ("debezium_json", "debezium_avro", "debezium_smt")
READ = ["feed", "source_type", "database_name", "schema_name", "table_name", "operation"]
# A parent has only a snapshot, whose rows are those of its partitions together.
PARENTS = """
    with of_feed as materialized (
        select
            {'database': database_name, 'schema': schema_name} as place,
            table_name,
            operation,
            {'names': key_columns, 'key': row_key, 'image': after_image::varchar} as content
        from changes
        where
            feed = ?
            and source_type = 'postgresql'
            and table_name is not null
            and row_key is not null
            and operation in (
                'insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before'
            )
    ),

    loaded as (
        select distinct place, table_name, content from of_feed where operation = 'snapshot'
    ),

    sizes as (
        select place, table_name, count(*) as size from loaded group by all
    ),

    only_loaded as (
        select place, table_name from of_feed group by all having bool_and(operation = 'snapshot')
    ),

    shared as (
        select place, parent.table_name, part.table_name as part, count(*) as size
        from only_loaded
            inner join loaded as parent using (place, table_name)
            inner join loaded as part using (place, content)
        where parent.table_name <> part.table_name
        group by all
    )

    select
        shared.place.database,
        shared.place.schema,
        shared.table_name,
        list(part order by part)
    from shared
        inner join sizes as of_parent
            on shared.place = of_parent.place and shared.table_name = of_parent.table_name
        inner join sizes as of_part
            on shared.place = of_part.place and shared.part = of_part.table_name
    where shared.size = of_part.size
    group by shared.place, shared.table_name, of_parent.size
    having sum(shared.size) = of_parent.size
"""


def remarks_on_partitioned(changes: Path, feed: Feed) -> dict[tuple[str | None, ...], str]:
    """Return a remark on each table that looks like the parent of partitions."""
    if feed.format not in FORMATS:
        return {}
    read = [*READ, "key_columns", "row_key", "after_image"]
    return {
        (None, *place): "only a full load has sent rows, and all of them came under the names "
        f"of {', '.join(parts)} too: if these are its partitions, changes come under their names "
        "only, and this table stays as it was loaded; let the publication have "
        "publish_via_partition_root, or make one model of the partitions (docs/gold/declare.md)"
        for *place, parts in query_table(changes, "changes", read, PARENTS, [feed.name])
    }
