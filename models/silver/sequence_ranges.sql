{{ config(materialized='view') }}

with

order_marks as (

    select * from {{ ref('order_marks') }}

),

placed as (

    select
        *,
        coalesce(position_space, last_value(position_space) ignore nulls over before_this) as known_space,
        last_value(position_space) ignore nulls over before_this as space_before
    from order_marks
    window before_this as (
        partition by feed, topic, partition, database_name, schema_name, table_name
        order by topic_generation, from_offset
        rows between unbounded preceding and 1 preceding
    )

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
        coalesce(position_space <> space_before, false) as changes_space,
        max(highest_position) over (
            partition by feed, topic, partition, database_name, schema_name, table_name, known_space, cut_overs_passed
            order by topic_generation, from_offset
            rows between unbounded preceding and 1 preceding
        ) as position_before,
        lead(from_offset) over (
            partition by feed, topic, topic_generation, partition, database_name, schema_name, table_name
            order by from_offset
        ) as next_offset
    from placed
    window in_order as (
        partition by feed, topic, partition, database_name, schema_name, table_name
        order by topic_generation, from_offset
    )

),

counted as (

    select
        *,
        starts_full_load or changes_space as starts_epoch,
        cast(
            count_if(starts_full_load or changes_space) over (
                partition by feed, topic, partition, database_name, schema_name, table_name
                order by topic_generation, from_offset
            ) as int
        ) as epoch_in_partition,
        -- where a start goes up in its space, positions tell it to partitions that have no message of it
        coalesce(lowest_position > position_before, changes_space)
        and (changes_space or starts_full_load and begins_full_load) as is_told_by_position
    from compared

),

starts_of_tables as (

    select
        feed,
        database_name,
        schema_name,
        table_name,
        collect_set(
            struct(
                epoch_in_partition as epoch,
                -- a space that was not there before begins below all of its positions
                if(changes_space and position_before is null, cast(array() as array<decimal(38, 0)>), lowest_position)
                    as position,
                known_space,
                cut_overs_passed
            )
        ) as starts
    from counted
    where is_told_by_position
    group by feed, database_name, schema_name, table_name

),

aligned as (

    select
        counted.*,
        filter(
            starts_of_tables.starts,
            start -> start.cut_overs_passed = counted.cut_overs_passed
            and coalesce(
                start.known_space <=> counted.known_space
                or counted.known_space is null and size(start.position) > 0,
                false
            )
        ) as starts
    from counted
        left join starts_of_tables
            on
                counted.feed = starts_of_tables.feed
                and counted.database_name <=> starts_of_tables.database_name
                and counted.schema_name <=> starts_of_tables.schema_name
                and counted.table_name = starts_of_tables.table_name

),

numbered as (

    select
        *,
        epoch_in_partition + max(
            if(
                starts_epoch,
                greatest(
                    array_max(
                        transform(filter(starts, start -> start.position <= lowest_position), start -> start.epoch)
                    ) - epoch_in_partition,
                    0
                ),
                0
            )
        ) over (
            partition by feed, topic, partition, database_name, schema_name, table_name
            order by topic_generation, from_offset
        ) as epoch
    from aligned

),

inherited as (

    select
        *,
        max(highest_position) over (
            partition by feed, topic, partition, database_name, schema_name, table_name, epoch, cut_overs_passed
            order by topic_generation, from_offset
        ) as position_so_far,
        min(if(starts_epoch, epoch, null)) over (
            partition by feed, topic, partition, database_name, schema_name, table_name
            order by topic_generation, from_offset
            rows between 1 following and unbounded following
        ) as next_epoch
    from numbered

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
        -- what other partitions say: a change from this position on belongs to this later epoch
        nullif(
            sort_array(
                transform(
                    filter(
                        starts,
                        start -> start.epoch > epoch
                        and start.epoch < coalesce(next_epoch, start.epoch + 1)
                        and start.position <= position_so_far
                    ),
                    start -> struct(start.position, start.epoch)
                )
            ),
            cast(array() as array<struct<position: array<decimal(38, 0)>, epoch: int>>)
        ) as later_epochs,
        -- longer than the position itself, and so behind every change that has it, also one that is sent again
        case
            when not is_positioned and size(position_so_far) > 0
                then concat(position_so_far, array(cast(0 as decimal(38, 0))))
        end as inherited_position,
        starts_full_load,
        is_told_by_position,
        message_timestamp,
        changed_at,
        bronze_version
    from inherited

)

select * from sequence_ranges
