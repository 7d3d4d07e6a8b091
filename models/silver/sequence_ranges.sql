{{ config(materialized='view') }}

with

order_marks as (

    select * from {{ ref('order_marks') }}

),

compared as (

    select
        *,
        is_full_load
        and (
            not coalesce(lag(is_full_load) over in_order, true)
            -- nothing changed since the one before, but this one was read at a later position
            or begins_full_load and coalesce(highest_position > lag(highest_position) over in_order, false)
        ) as starts_full_load,
        coalesce(
            position_space <> last_value(position_space) ignore nulls over before_this,
            false
        ) as changes_space,
        lead(from_offset) over (
            partition by feed, topic, topic_generation, partition, database_name, schema_name, table_name
            order by from_offset
        ) as next_offset
    from order_marks
    window
        in_order as (
            partition by feed, topic, partition, database_name, schema_name, table_name
            order by topic_generation, from_offset
        ),
        before_this as (
            partition by feed, topic, partition, database_name, schema_name, table_name
            order by topic_generation, from_offset
            rows between unbounded preceding and 1 preceding
        )

),

counted as (

    select
        *,
        cast(
            count_if(starts_full_load or changes_space) over (
                partition by feed, topic, partition, database_name, schema_name, table_name
                order by topic_generation, from_offset
            ) as int
        ) as epoch
    from compared

),

inherited as (

    select
        *,
        max(highest_position) over (
            partition by feed, topic, partition, database_name, schema_name, table_name, epoch
            order by topic_generation, from_offset
        ) as position_so_far
    from counted

),

sequence_ranges as (

    select
        feed,
        topic,
        topic_generation,
        partition,
        database_name,
        schema_name,
        table_name,
        from_offset,
        next_offset - 1 as to_offset,
        epoch,
        -- longer than the position itself, and so behind every change that has it, also one that is sent again
        case
            when not is_positioned and size(position_so_far) > 0
                then concat(position_so_far, array(cast(0 as decimal(38, 0))))
        end as inherited_position,
        starts_full_load,
        message_timestamp,
        changed_at
    from inherited

)

select * from sequence_ranges
