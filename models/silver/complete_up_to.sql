{{ config(materialized='view') }}

with

changes as (

    select * from {{ ref('changes') }}

),

gaps as (

    select * from {{ source('bronze', 'gaps') }}

),

-- the source's clock as the partition tells it: changes of any table, heartbeats, ends of transactions
partitions as (

    select
        feed,
        topic,
        partition,
        max(changed_at) filter (where operation <> 'unknown') as complete_up_to,
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
        max(changed_at) as last_changed_at
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
        partitions.complete_up_to,
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
