{{ config(materialized='change_log', enabled=cdc.feeds() | length > 0, meta={'reads_only': 'new tables'}) }}
{%- set mark = cdc.mark_of_model() %}
with

-- the first message of each partition, found in one pass: Spark would sort all changes for the smallest struct
in_partitions as (

    select
        feed,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        bronze_version,
        topic,
        partition,
        min(offset) as offset,
        bool_or(operation not in ('truncate', 'schema_change')) as has_rows
    from {{ ref('cdc_changes') }}
    where
        table_name is not null
        and operation in (
            'insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before', 'truncate', 'schema_change'
        )
        and {{ cdc.is_newer_than(mark) }}
    group by
        feed,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        bronze_version,
        topic,
        partition

),

source_tables as (

    select
        feed,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        bool_or(has_rows) as has_rows,
        min(struct(bronze_version, topic, partition, offset)) as first_message
    from in_partitions
    group by
        feed,
        catalog_name,
        database_name,
        schema_name,
        table_name

),

new_tables as (

    select
        source_tables.feed,
        source_tables.catalog_name,
        source_tables.database_name,
        source_tables.schema_name,
        source_tables.table_name,
        source_tables.has_rows,
        source_tables.first_message.topic,
        source_tables.first_message.partition,
        source_tables.first_message.offset,
        source_tables.first_message.bronze_version
    from source_tables
    {%- if mark %}
        left anti join {{ this }} as known
            on
                source_tables.feed = known.feed
                and source_tables.catalog_name <=> known.catalog_name
                and source_tables.database_name <=> known.database_name
                and source_tables.schema_name <=> known.schema_name
                and source_tables.table_name = known.table_name
                and (known.has_rows or not source_tables.has_rows)
    {%- endif %}

)

select * from new_tables
