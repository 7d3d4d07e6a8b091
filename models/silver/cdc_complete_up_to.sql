{{ config(materialized='kept_view', enabled=cdc.feeds() | length > 0) }}

with

changes as (

    select * from {{ ref('cdc_changes') }}

),

gaps as (

    select * from {{ source('bronze', 'gaps') }}

),

-- a time that no clock shows (microseconds that were read as milliseconds) would be the latest one for ever, and
-- Python has no date for it
timed as (

    select
        * except (changed_at),
        if(
            changed_at between timestamp '1970-01-01 00:00:00Z' and timestamp '9998-12-31 23:59:59Z', changed_at, null
        ) as changed_at
    from changes

),

judged as (

    select
        *,
        struct(topic_generation, offset) as place,
        -- rows that were read show their time before the last of them is there, the beginning of a transaction before
        -- the first; Canal's GTID is such a beginning too, and ignored
        change_sequence.phase = 1
        and operation not in ('unknown', 'ignored', 'snapshot', 'transaction_begin')
        -- TiCDC sorts the rows of a partition by no time: its watermarks alone promise one
        and (operation = 'heartbeat' or not source_type <=> 'tidb')
        and changed_at is not null
            as shows_time,
        -- by a full load, an incremental snapshot or a bootstrap
        operation = 'snapshot' or coalesce(startswith(snapshot_mark, 'bootstrap-'), false) as is_read,
        -- Debezium marks the last row of a table
        if(snapshot_mark in ('last', 'last_in_data_collection'), changed_at, null) as loaded_up_to,
        operation in ('insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before') as is_of_a_row
    from timed

),

generations as (

    select
        feed,
        topic,
        topic_generation,
        partition,
        max(changed_at) filter (where shows_time) as streamed_up_to,
        max(place) filter (where shows_time) as streamed_place,
        max(offset) as last_offset,
        count_if(operation = 'unknown') as unknown_rows
    from judged
    group by
        feed,
        topic,
        topic_generation,
        partition

),

partitions as (

    select
        *,
        sum(unknown_rows) over (partition by feed, topic, partition) as unknown_rows_ever,
        topic_generation = max(topic_generation) over (partition by feed, topic) as is_there_now
    from generations

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

table_partitions as (

    select
        feed,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        topic,
        partition,
        bool_or(is_of_a_row) as has_rows,
        max(changed_at) filter (where is_of_a_row or operation in ('truncate', 'schema_change')) as last_changed_at,
        max(place) filter (where is_read) as read_place,
        max(coalesce(changed_at, captured_at)) filter (where is_read) as read_at,
        max_by(loaded_up_to, place) filter (where is_read) as loaded_up_to,
        -- Maxwell's other tables go on meanwhile
        max_by(snapshot_mark, place) filter (where snapshot_mark in ('bootstrap-start', 'bootstrap-complete'))
        <=> 'bootstrap-start'
            as is_being_read
    from judged
    where table_name is not null
    group by
        feed,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        topic,
        partition

),

-- not that of Debezium's schema changes, which says no more once the last of them has come
table_topics as (

    select
        feed,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        topic,
        max(read_at) as read_at,
        bool_or(is_being_read) as is_being_read
    from table_partitions
    group by
        feed,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        topic
    having bool_or(has_rows)

),

-- also the partitions that have nothing of the table: they may lag
progress as (

    select
        table_topics.feed,
        table_topics.catalog_name,
        table_topics.database_name,
        table_topics.schema_name,
        table_topics.table_name,
        table_topics.topic,
        partitions.partition,
        greatest(
            if(table_partitions.read_place > partitions.streamed_place, null, partitions.streamed_up_to),
            table_partitions.loaded_up_to
        ) as shown_up_to,
        max(table_topics.read_at) over of_table as table_read_at,
        bool_or(table_topics.is_being_read) over of_table as is_table_being_read,
        table_partitions.last_changed_at,
        partitions.last_offset,
        partitions.unknown_rows_ever as unknown_rows,
        coalesce(lost.gaps, 0) as gaps
    from table_topics
        inner join partitions
            on
                table_topics.feed = partitions.feed
                and table_topics.topic = partitions.topic
                and partitions.is_there_now
        left join table_partitions
            on
                table_topics.feed = table_partitions.feed
                and table_topics.catalog_name <=> table_partitions.catalog_name
                and table_topics.database_name <=> table_partitions.database_name
                and table_topics.schema_name <=> table_partitions.schema_name
                and table_topics.table_name = table_partitions.table_name
                and table_topics.topic = table_partitions.topic
                and partitions.partition = table_partitions.partition
        left join lost
            on
                partitions.feed = lost.feed
                and partitions.topic = lost.topic
                and partitions.partition = lost.partition
    window of_table as (
        partition by
            table_topics.feed,
            table_topics.catalog_name,
            table_topics.database_name,
            table_topics.schema_name,
            table_topics.table_name
    )

),

complete_up_to as (

    select
        feed,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        topic,
        partition,
        -- what a partition showed before its table was read again is superseded; the new rows may be on their way
        if(is_table_being_read or shown_up_to < table_read_at, null, shown_up_to) as complete_up_to,
        last_changed_at,
        last_offset,
        unknown_rows,
        gaps
    from progress

)

select * from complete_up_to
