{{ config(materialized='view') }}

with

order_marks as (

    select * from {{ ref('order_marks') }}

),

named as (

    select
        *,
        struct(
            feed,
            -- a statement may lack the tenant that the rows of its table have
            coalesce(
                catalog_name,
                case
                    when min(catalog_name) over of_name = max(catalog_name) over of_name
                        then min(catalog_name) over of_name
                end
            ) as catalog_name,
            database_name,
            schema_name,
            table_name
        ) as source_table,
        struct(topic, partition) as stream
    from order_marks
    window of_name as (partition by feed, database_name, schema_name, table_name)

),

compared as (

    select
        *,
        position_space is not null
        and not position_space <=> last_value(position_space) ignore nulls over (
            partition by source_table, stream
            order by topic_generation, from_offset
            rows between unbounded preceding and 1 preceding
        ) as enters_space,
        -- a full load that follows a stream begins again; rows that share a position tell it to all partitions
        is_full_load
        and load_position is null
        and not coalesce(
            lag(is_full_load) over (
                partition by source_table, stream, cut_overs_passed order by topic_generation, from_offset
            ),
            true
        ) as begins_again_here
    from named

),

visited as (

    select
        *,
        -- the log may come back to a server
        count_if(enters_space) over (
            partition by source_table, stream, position_space order by topic_generation, from_offset
        ) as visit,
        count_if(enters_space) over in_order as spaces_before,
        max(message_timestamp) over in_order as seen_at
    from compared
    window in_order as (partition by source_table, stream order by topic_generation, from_offset)

),

spaces as (

    select
        source_table,
        position_space,
        visit,
        dense_rank() over (
            partition by source_table order by min(seen_at), max(spaces_before), min(changed_at)
        ) as space_number
    from visited
    where position_space is not null
    group by source_table, position_space, visit

),

in_spaces as (

    select
        visited.*,
        spaces.space_number
    from visited
        left join spaces
            on
                visited.source_table = spaces.source_table
                and visited.position_space = spaces.position_space
                and visited.visit = spaces.visit

),

neighbours as (

    select
        *,
        last_value(space_number) ignore nulls over before_this as space_before,
        first_value(space_number) ignore nulls over behind_this as space_behind,
        first_value(if(space_number is null, null, lowest_position)) ignore nulls over behind_this as position_behind
    from in_spaces
    window
        before_this as (
            partition by source_table, stream
            order by topic_generation, from_offset
            rows between unbounded preceding and 1 preceding
        ),
        behind_this as (
            partition by source_table, stream
            order by topic_generation, from_offset
            rows between 1 following and unbounded following
        )

),

placed as (

    select
        * except (space_number),
        case
            when space_number is not null then space_number
            -- rows of a full load name no space: it is that of the stream which goes on from their position
            when load_position is not null
                then coalesce(
                    min(if(load_position <= position_behind, space_behind, null)) over of_load,
                    max(space_before) over of_load,
                    min(space_behind - 1) over of_load,
                    1
                )
            else coalesce(space_before, space_behind, 1)
        end as space_number
    from neighbours
    window of_load as (partition by source_table, cut_overs_passed, load_position)

),

bounded as (

    select
        *,
        load_position is not null
        and struct(space_number, load_position) > min(
            if(is_positioned, struct(space_number, lowest_position), null)
        ) over (partition by source_table, cut_overs_passed) as has_changes_below,
        max(highest_position) over (
            partition by source_table, stream, cut_overs_passed, space_number order by topic_generation, from_offset
        ) as position_so_far
    from placed

),

beginnings as (

    select
        source_table,
        cut_overs_passed,
        space_number,
        cast(array() as array<decimal(38, 0)>) as position
    from bounded

    union

    -- the first full load begins nothing anew
    select
        source_table,
        cut_overs_passed,
        space_number,
        load_position as position
    from bounded
    where has_changes_below

),

epochs as (

    select
        source_table,
        cut_overs_passed,
        space_number,
        position,
        cast(
            row_number() over (partition by source_table, cut_overs_passed order by space_number, position) as int
        ) - 1 as epoch
    from beginnings

),

epochs_of_tables as (

    select
        source_table,
        cut_overs_passed,
        collect_list(struct(space_number, position, epoch)) as epochs
    from epochs
    group by source_table, cut_overs_passed

),

numbered as (

    select
        bounded.*,
        epochs_of_tables.epochs,
        array_max(
            transform(
                filter(
                    epochs_of_tables.epochs,
                    begun -> struct(begun.space_number, begun.position) <= struct(
                        bounded.space_number,
                        if(bounded.is_positioned, bounded.lowest_position, bounded.position_so_far)
                    )
                ),
                begun -> begun.epoch
            )
        ) as epoch_of_position
    from bounded
        inner join epochs_of_tables
            on
                bounded.source_table = epochs_of_tables.source_table
                and bounded.cut_overs_passed = epochs_of_tables.cut_overs_passed

),

counted as (

    select
        *,
        -- a change that comes behind a full load in its partition belongs to it, whatever its position
        if(
            load_position is null,
            greatest(
                epoch_of_position,
                max(if(load_position is null, null, epoch_of_position)) over in_order
            ),
            epoch_of_position
        ) as epoch_of_table,
        cast(count_if(begins_again_here) over in_order as int) as epochs_of_partition,
        has_changes_below
        and row_number() over (
            partition by source_table, cut_overs_passed, load_position
            order by message_timestamp, topic, topic_generation, partition, from_offset
        ) = 1 as begins_again
    from numbered
    window in_order as (
        partition by source_table, stream, cut_overs_passed order by topic_generation, from_offset
    )

),

sequence_ranges as (

    select
        feed,
        topic,
        topic_generation,
        partition,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        from_offset,
        lead(from_offset) over (
            partition by feed, topic, topic_generation, partition, catalog_name, database_name, schema_name, table_name
            order by from_offset
        ) - 1 as to_offset,
        epoch_of_table + epochs_of_partition as epoch,
        -- full loads that other partitions have seen: a change from this position on belongs to this later epoch
        nullif(
            sort_array(
                transform(
                    filter(
                        epochs,
                        begun -> begun.space_number = counted.space_number
                        and begun.epoch > epoch_of_table
                        and begun.position <= highest_position
                    ),
                    begun -> struct(begun.position, begun.epoch + epochs_of_partition as epoch)
                )
            ),
            cast(array() as array<struct<position: array<decimal(38, 0)>, epoch: int>>)
        ) as later_epochs,
        -- longer than the position itself, and so behind every change that has it, also one that is sent again
        case
            when not is_positioned and size(position_so_far) > 0
                then concat(position_so_far, array(cast(0 as decimal(38, 0))))
        end as inherited_position,
        begins_again or begins_again_here as starts_full_load,
        load_position is not null as is_told_by_position,
        load_position,
        message_timestamp,
        changed_at,
        bronze_version
    from counted

)

select * from sequence_ranges
