{{ config(materialized='change_log', enabled=cdc.feeds() | length > 0, meta={'reads_only': 'positions'}) }}
{%- set mark = cdc.mark_of_model() %}
with

changes as (

    select
        *,
        change_sequence.phase = 0 as is_full_load,
        size(change_sequence.position) > 0 as is_positioned,
        -- all rows of one full load of Debezium have one position; those of MongoDB a time each
        case
            when
                change_sequence.phase = 0
                and size(change_sequence.position) > 0
                and {{ cdc.is_full_load_word('snapshot_mark') }}
                and source_type <> 'mongodb'
                then change_sequence.position
        end as load_position,
        {{ cdc.cut_overs_passed('changes') }} as cut_overs_passed
    from {{ ref('cdc_changes') }}
    where
        order_scope = 'position'
        -- a statement that removes rows may have no position, and then comes after the rows before it
        and (
            operation in ('insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before', 'truncate')
            -- that with which Debezium describes a table in a full load shows nothing of its rows
            or ddl_kind = 'drop' and change_sequence.phase > 0
        )
        and {{ cdc.is_newer_than(mark) }}

),

followed as (

    select
        *,
        struct(is_full_load, is_positioned, position_space, load_position, cut_overs_passed) as ordering,
        lag(struct(is_full_load, is_positioned, position_space, load_position, cut_overs_passed)) over in_order
            as ordering_before,
        lag(change_sequence.position) over in_order as position_before
    from changes
    window in_order as (
        partition by feed, topic, topic_generation, partition, catalog_name, database_name, schema_name, table_name
        order by offset, row_index
    )

),

compared as (

    select
        * except (ordering, ordering_before, position_before),
        ordering <=> ordering_before
        and not ({{ cdc.begins_again_in_file('position_space', 'position_before', 'change_sequence.position') }})
            as is_like_previous
    from followed

),

numbered as (

    select
        *,
        count_if(not is_like_previous) over (
            partition by feed, topic, topic_generation, partition, catalog_name, database_name, schema_name, table_name
            order by offset, row_index
        ) as run_number
    from compared

),

order_marks as (

    select
        feed,
        topic,
        topic_generation,
        partition,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        min(offset) as from_offset,
        max(offset) as to_offset,
        is_full_load,
        is_positioned,
        position_space,
        load_position,
        cut_overs_passed,
        min(change_sequence.position) as lowest_position,
        max(change_sequence.position) as highest_position,
        -- of a full load the newest: its first rows may be of an earlier one, sent again
        if(
            is_full_load and load_position is null,
            max(message_timestamp),
            min_by(message_timestamp, struct(offset, row_index))
        ) as message_timestamp,
        min_by(changed_at, struct(offset, row_index)) as changed_at,
        max(bronze_version) as bronze_version
    from numbered
    group by
        feed,
        topic,
        topic_generation,
        partition,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        run_number,
        is_full_load,
        is_positioned,
        position_space,
        load_position,
        cut_overs_passed

)

select * from order_marks
