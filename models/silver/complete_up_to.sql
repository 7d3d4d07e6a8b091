{{ config(materialized='view') }}

with

changes as (

    select * from {{ ref('changes') }}

),

gaps as (

    select * from {{ source('bronze', 'gaps') }}

),

-- the source's clock as the partition tells it: changes of any table, heartbeats, ends of transactions; not the rows
-- of a full load, which tell their time before the last of them is there
partitions as (

    select
        feed,
        topic,
        partition,
        max(changed_at) filter (where operation not in ('unknown', 'snapshot')) as streamed_up_to,
        max(struct(topic_generation, offset)).offset as last_offset,
        count_if(operation = 'unknown') as unknown_rows
    from changes
    group by
        feed,
        topic,
        partition

),

lost as (

    select
        feed,
        topic,
        partition,
        count(*) as gaps
    from gaps
    group by
        feed,
        topic,
        partition

),

tables as (

    select
        feed,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        topic,
        partition,
        max(changed_at) as last_changed_at,
        -- Debezium marks the last row of a table
        max(changed_at) filter (where snapshot_mark in ('last', 'last_in_data_collection')) as loaded_up_to
    from changes
    where
        table_name is not null
        and operation in (
            'insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before', 'truncate', 'schema_change'
        )
    group by
        feed,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        topic,
        partition

),

complete_up_to as (

    select
        tables.feed,
        tables.catalog_name,
        tables.database_name,
        tables.schema_name,
        tables.table_name,
        tables.topic,
        tables.partition,
        greatest(partitions.streamed_up_to, tables.loaded_up_to) as complete_up_to,
        tables.last_changed_at,
        partitions.last_offset,
        partitions.unknown_rows,
        coalesce(lost.gaps, 0) as gaps
    from tables
        inner join partitions
            on
                tables.feed = partitions.feed
                and tables.topic = partitions.topic
                and tables.partition = partitions.partition
        left join lost
            on
                tables.feed = lost.feed
                and tables.topic = lost.topic
                and tables.partition = lost.partition

)

select * from complete_up_to
