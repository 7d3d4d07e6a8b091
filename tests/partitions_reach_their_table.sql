{{ config(meta={'cdc': {'findings': true}}) }}
-- Gold tables that stay as they were loaded while their partitions change: a snapshot of PostgreSQL has the rows of
-- a partitioned table under its name and under those of its partitions, the stream under the partitions' names alone,
-- unless the publication has publish_via_partition_root. One row per gold table and table that changes.
{%- set is_change = "source_type = 'postgresql' and operation <> 'snapshot' and table_name is not null" %}

{%- if not cdc.has_unchecked_changes_where(is_change) %}

select 'nothing new since the last check' as finding
where false
{%- else %}

with

changes as (

    select
        feed,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        operation,
        operation = 'snapshot' as is_loaded,
        struct(key_columns, row_key, to_json(after_image)) as content,
        struct(array_sort(key_columns), array_sort(map_keys(coalesce(after_image, before_image)))) as names,
        struct(topic, partition, offset) as place,
        {{ cdc.is_unchecked() }} as is_unchecked
    from {{ ref('cdc_changes') }}
    where
        source_type = 'postgresql'
        and operation in ('insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before')
        and table_name is not null
        and feed in ({{ cdc.quoted_list(cdc.feeds()) }})

),

parents as (

    select
        gold_tables.model_name,
        changes.feed,
        changes.database_name,
        changes.schema_name,
        changes.table_name,
        max(changes.names) as names
    from changes
        inner join {{ cdc.gold_tables() }}
            on {{ cdc.is_of_gold_table('changes') }}
    group by
        gold_tables.model_name,
        changes.feed,
        changes.database_name,
        changes.schema_name,
        changes.table_name
    having bool_and(changes.is_loaded)

),

loaded as (

    select distinct
        feed,
        database_name,
        schema_name,
        table_name,
        content
    from changes
    where is_loaded

),

sizes as (

    select
        feed,
        database_name,
        schema_name,
        table_name,
        count(*) as row_count
    from loaded
    group by feed, database_name, schema_name, table_name

),

rows_of_parents as (

    select
        parents.*,
        loaded.content
    from parents
        inner join loaded
            on {{ cdc.is_same_table('parents', 'loaded') }}

),

shared as (

    select
        rows_of_parents.model_name,
        rows_of_parents.feed,
        rows_of_parents.database_name,
        rows_of_parents.schema_name,
        rows_of_parents.table_name,
        loaded.table_name as partition_name,
        count(*) as row_count
    from rows_of_parents
        inner join loaded
            on
                {{ cdc.is_in_same_schema('rows_of_parents', 'loaded') }}
                and rows_of_parents.content = loaded.content
                and rows_of_parents.table_name <> loaded.table_name
    group by
        rows_of_parents.model_name,
        rows_of_parents.feed,
        rows_of_parents.database_name,
        rows_of_parents.schema_name,
        rows_of_parents.table_name,
        loaded.table_name

),

-- all of its rows are the parent's
partitions as (

    select shared.*
    from shared
        inner join sizes
            on
                {{ cdc.is_in_same_schema('shared', 'sizes') }}
                and shared.partition_name = sizes.table_name
                and shared.row_count = sizes.row_count

),

counted as (

    select
        model_name,
        feed,
        database_name,
        schema_name,
        table_name,
        collect_set(partition_name) as partition_names,
        sum(row_count) as row_count
    from partitions
    group by model_name, feed, database_name, schema_name, table_name

),

-- all of its rows are those of its partitions
partitioned as (

    select
        parents.*,
        counted.partition_names
    from parents
        inner join counted
            on
                {{ cdc.is_same_table('parents', 'counted') }}
                and parents.model_name = counted.model_name
        inner join sizes
            on
                {{ cdc.is_same_table('parents', 'sizes') }}
                and counted.row_count = sizes.row_count

),

final as (

    select
        partitioned.model_name as gold_table,
        partitioned.feed,
        min(new_changes.place).topic as topic,
        min(new_changes.place).partition as partition,
        min(new_changes.place).offset as offset,
        cast(null as array<string>) as row_key,
        new_changes.table_name as changed_table,
        min(new_changes.place) as first_place,
        max(new_changes.place) as last_place,
        'only a full load has brought rows of this table, and changes come under the name of another with its columns: '
        || 'if that is its partition, let the publication have publish_via_partition_root, '
        || 'or make one model of all partitions' as finding
    from partitioned
        inner join changes as new_changes
            on
                {{ cdc.is_in_same_schema('partitioned', 'new_changes') }}
                and partitioned.table_name <> new_changes.table_name
                and (
                    array_contains(partitioned.partition_names, new_changes.table_name)
                    -- a partition that was added since the full load
                    or partitioned.names = new_changes.names
                )
    where
        new_changes.is_unchecked
        and not new_changes.is_loaded
    group by partitioned.model_name, partitioned.feed, new_changes.table_name

)

select * from final
{%- endif %}
