{{ config(materialized='kept_table', enabled=cdc.feeds() | length > 0, meta={'reads_only': 'positions'}) }}
{%- set rising = cdc.feeds_of_rising_positions() %}
{%- set marked = cdc.feeds_of_marked_loads() %}
{%- set source_table = 'feed, tenant, database_name, schema_name, table_name' %}
{%- set in_time = 'seen_at, changed_so_far, spaces_before, topic, partition, topic_generation, from_offset' %}

with

order_marks as (

    select * from {{ ref('cdc_order_marks') }}

),

named as (

    select
        *,
        -- a statement may lack the tenant that the rows of its table have
        coalesce(
            catalog_name,
            case
                when min(catalog_name) over of_name = max(catalog_name) over of_name
                    then min(catalog_name) over of_name
            end
        ) as tenant
    from order_marks
    window of_name as (partition by feed, database_name, schema_name, table_name)

),

-- rows of a full load that the producer sends again after the stream keep their time in Kafka, and begin nothing
sent_again as (

    select
        *,
        is_full_load
        and coalesce(
            message_timestamp < max(if(is_full_load, null, message_timestamp)) over (
                partition by {{ source_table }}, topic, partition
                order by topic_generation, from_offset
                rows between unbounded preceding and 1 preceding
            ),
            false
        ) as is_sent_again
    from named

),

compared as (

    select
        * except (is_sent_again),
        position_space is not null
        and not position_space <=> last_value(position_space) ignore nulls over (
            partition by {{ source_table }}, topic, partition
            order by topic_generation, from_offset
            rows between unbounded preceding and 1 preceding
        ) as enters_space,
        -- a marked full load that follows a stream begins again; rows that share a position prove it for all partitions
        is_full_load
        and {{ 'feed in (' ~ cdc.quoted_list(marked) ~ ')' if marked else 'false' }}
        and load_position is null
        and not is_sent_again
        and not coalesce(
            last_value(if(is_sent_again, null, is_full_load)) ignore nulls over (
                partition by {{ source_table }}, topic, partition, cut_overs_passed
                order by topic_generation, from_offset
                rows between unbounded preceding and 1 preceding
            ),
            true
        ) as begins_again_here
    from sent_again

),

-- since when a partition is in a space: what an order of all partitions goes by
entered as (

    select
        *,
        count_if(enters_space) over in_order as spaces_before,
        max(message_timestamp) over in_order as seen_at,
        max(changed_at) over in_order as changed_so_far,
        max(if(is_full_load, null, highest_position)) over (
            partition by {{ source_table }}, topic, partition
            order by topic_generation, from_offset
            rows between unbounded preceding and 1 preceding
        ) as position_before
    from compared
    window in_order as (partition by {{ source_table }}, topic, partition order by topic_generation, from_offset)

),

entries as (

    select
        *,
        -- a partition may see another space first, or one of them never: the time in Kafka shows which are the same
        enters_space
        and not position_space <=> last_value(if(enters_space, position_space, null)) ignore nulls over (
            partition by {{ source_table }}
            order by {{ in_time }}
            rows between unbounded preceding and 1 preceding
        ) as begins_visit
    from entered

),

-- a log names the server that first wrote a change, and may have changes of several: only positions that fall, or files
-- of another name, show another log
logs as (

    select
        *,
        enters_space and lowest_position < position_before
        or begins_visit and (
            lowest_position < max(if(enters_space, lowest_position, null)) over before_this
            or {{ cdc.log_files_of('position_space') }} <> last_value(
                if(enters_space, {{ cdc.log_files_of('position_space') }}, null)
            ) ignore nulls over before_this
        ) as shows_another_log
    from entries
    window before_this as (
        partition by {{ source_table }}
        order by {{ in_time }}
        rows between unbounded preceding and 1 preceding
    )

),

several_logs as (

    select
        *,
        count_if(shows_another_log) over (partition by {{ source_table }}) > 0 as has_several_logs
    from logs

),

visits as (

    select
        *,
        case
            when enters_space and has_several_logs
                then count_if(begins_visit) over (
                    partition by {{ source_table }}
                    order by {{ in_time }}
                    rows unbounded preceding
                )
            when enters_space then 1
        end as entered
    from several_logs

),

entered_spaces as (

    select
        * except (entered),
        -- the log may come back to a server: each visit is a space of its own, the same one in all partitions
        case when position_space is not null then max(entered) over until_this end as entered_space,
        min(entered) over after_this as next_space,
        max(entered) over until_its_time as space_of_its_time,
        collect_set(
            if(entered is null, null, struct(entered as space_number, position_space, lowest_position as position))
        ) over of_table as entries_of_table
    from visits
    window
        of_table as (partition by {{ source_table }}),
        until_this as (
            partition by {{ source_table }}, topic, partition
            order by topic_generation, from_offset
        ),
        after_this as (
            partition by {{ source_table }}, topic, partition
            order by topic_generation, from_offset
            rows between 1 following and unbounded following
        ),
        until_its_time as (
            partition by {{ source_table }}
            order by {{ in_time }}
        )

),

-- a partition that has no change from the other server never leaves the first one: what it has from the lowest position
-- on with which others came back is of that visit too
visits_of_others as (

    select
        * except (entries_of_table, next_space),
        filter(
            entries_of_table,
            entry -> entry.position_space = position_space
            and entry.space_number > entered_space
            and entry.space_number < coalesce(next_space, entry.space_number + 1)
        ) as entries_of_others
    from entered_spaces

),

in_spaces as (

    select
        *,
        greatest(
            entered_space,
            array_max(
                transform(
                    filter(entries_of_others, entry -> entry.position <= lowest_position),
                    entry -> entry.space_number
                )
            )
        ) as space_number
    from visits_of_others

),

-- MySQL's positions have 32 bits, and begin again in a file that one transaction makes larger than 4 GiB
fallen as (

    select
        *,
        {{ 'feed in (' ~ cdc.quoted_list(rising) ~ ')' if rising else 'false' }}
        and not is_full_load
        and {{ cdc.begins_again_in_file(
            'position_space',
            'last_value(if(is_full_load or position_space is null, null, highest_position)) ignore nulls over before_this',
            'lowest_position'
        ) }} as begins_again_in_file
    from in_spaces
    window before_this as (
        partition by {{ source_table }}, topic, partition, position_space
        order by topic_generation, from_offset
        rows between unbounded preceding and 1 preceding
    )

),

wrapped as (

    select
        *,
        if(
            position_space is null or is_full_load,
            0,
            count_if(begins_again_in_file) over (
                partition by {{ source_table }}, topic, partition, position_space, get(lowest_position, 0)
                order by topic_generation, from_offset
            )
        ) as wraps
    from fallen

),

neighbours as (

    select
        *,
        -- where the positions of a file began again: above all that it had before, and then the offset decides
        if(
            wraps > 0,
            array(get(lowest_position, 0), cast(wraps * {{ cdc.positions_of_a_file() }} as decimal(38, 0))),
            null
        ) as wrapped_position,
        last_value(space_number) ignore nulls over before_this as space_before,
        first_value(space_number) ignore nulls over after_this as space_after,
        first_value(if(space_number is null, null, lowest_position)) ignore nulls over after_this as position_after,
        max(highest_position) over (
            partition by {{ source_table }}, topic, partition, cut_overs_passed
            order by topic_generation, from_offset
            rows between unbounded preceding and 1 preceding
        ) as highest_before,
        row_number() over (
            partition by {{ source_table }}, topic, partition, cut_overs_passed, load_position
            order by topic_generation, from_offset
        ) as load_mark
    from wrapped
    window
        before_this as (
            partition by {{ source_table }}, topic, partition
            order by topic_generation, from_offset
            rows between unbounded preceding and 1 preceding
        ),
        after_this as (
            partition by {{ source_table }}, topic, partition
            order by topic_generation, from_offset
            rows between 1 following and unbounded following
        )

),

compared_with_stream as (

    select
        *,
        -- a restored source, or its log begun again: a full load of lower positions than the changes before it
        load_mark = 1
        and coalesce(load_position < highest_before and space_after <=> space_before, false) as begins_lower
    from neighbours

),

rewound as (

    select
        *,
        count_if(begins_lower) over (
            partition by {{ source_table }}, topic, partition, cut_overs_passed
            order by topic_generation, from_offset
        ) as rewinds
    from compared_with_stream

),

placed as (

    select
        * except (space_number),
        case
            when space_number is not null then space_number
            -- nothing says that a full load without marks is newer than any change
            when is_full_load and {{ 'feed not in (' ~ cdc.quoted_list(marked) ~ ')' if marked else 'true' }} then 1
            -- rows of a full load name no space: it is that of the stream which goes on from their position
            when load_position is not null
                then coalesce(
                    min(if(load_position <= position_after, space_after, null)) over of_load,
                    max(space_before) over of_load,
                    min(space_after - 1) over of_load,
                    1
                )
            -- a statement may name no server, and come in a partition of its own
            else coalesce(space_before, space_after, space_of_its_time, 1)
        end as space_number
    from rewound
    window of_load as (partition by {{ source_table }}, cut_overs_passed, rewinds, load_position)

),

bounded as (

    select
        *,
        -- the first full load begins nothing again
        load_position is not null
        and struct(space_number, load_position) > min(
            if(is_positioned, struct(space_number, lowest_position), null)
        ) over (partition by {{ source_table }}, cut_overs_passed, rewinds) as has_changes_below,
        max(array_max(array(highest_position, coalesce(wrapped_position, highest_position)))) over (
            partition by {{ source_table }}, topic, partition, cut_overs_passed, rewinds, space_number
            order by topic_generation, from_offset
        ) as position_so_far
    from placed

),

begun as (

    select
        *,
        -- where the table's epochs begin: with each space, and with each full load
        array_sort(
            array_union(
                collect_set(
                    struct(space_number, cast(array() as array<decimal(38, 0)>) as position)
                ) over of_table,
                collect_set(
                    if(has_changes_below, struct(space_number, load_position as position), null)
                ) over of_table
            )
        ) as beginnings
    from bounded
    window of_table as (partition by {{ source_table }}, cut_overs_passed, rewinds)

),

numbered as (

    select
        *,
        size(
            filter(
                beginnings,
                beginning -> beginning <= struct(space_number, if(is_positioned, lowest_position, position_so_far))
            )
        ) - 1 as epoch_of_position
    from begun

),

counted as (

    select
        *,
        -- a change that comes after a full load in its partition belongs to it, whatever its position
        if(
            load_position is null,
            greatest(
                epoch_of_position,
                max(if(load_position is null, null, epoch_of_position)) over in_order
            ),
            epoch_of_position
        ) as epoch_of_table,
        -- where positions begin again lower, nothing that was before can be compared
        cast(
            count_if(begins_again_here) over in_order + {{ cdc.epochs_of_a_rewind() }} * rewinds as int
        ) as epochs_of_partition,
        has_changes_below
        and row_number() over (
            partition by {{ source_table }}, cut_overs_passed, rewinds, load_position
            order by message_timestamp, topic, topic_generation, partition, from_offset
        ) = 1 as begins_again
    from numbered
    window in_order as (
        partition by {{ source_table }}, topic, partition, cut_overs_passed, rewinds
        order by topic_generation, from_offset
    )

),

-- full loads, and visits to the same server, that other partitions have seen: a change from such a position on
-- belongs to this later epoch
begun_elsewhere as (

    select
        *,
        transform(
            beginnings,
            beginning -> case
                when beginning.space_number = space_number then beginning.position
                when exists(entries_of_others, entry -> entry.space_number = beginning.space_number)
                    then greatest(
                        beginning.position,
                        array_min(
                            transform(
                                filter(entries_of_others, entry -> entry.space_number = beginning.space_number),
                                entry -> entry.position
                            )
                        )
                    )
            end
        ) as beginnings_here
    from counted

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
        nullif(
            filter(
                transform(
                    beginnings_here,
                    (beginning, number) -> if(
                        number > epoch_of_table and beginning <= highest_position,
                        struct(beginning as position, number + epochs_of_partition as epoch),
                        null
                    )
                ),
                later -> later is not null
            ),
            cast(array() as array<struct<position: array<decimal(38, 0)>, epoch: int>>)
        ) as later_epochs,
        -- longer than the position itself, and so newer than every change that has it, also one that is sent again;
        -- the offset decides among them, and a topic that was created again counts its offsets from 0
        case
            when is_positioned then wrapped_position
            when size(position_so_far) > 0
                then concat(position_so_far, array(cast(topic_generation as decimal(38, 0))))
            -- below every position
            when topic_generation > 0 then cast(array(-1, topic_generation) as array<decimal(38, 0)>)
        end as inherited_position,
        -- of its rows those of this log file alone inherit
        get(wrapped_position, 0) as inherits_in_file,
        begins_again or begins_again_here or begins_lower as starts_full_load,
        load_position is not null and not begins_lower as is_told_by_position,
        load_position,
        message_timestamp,
        changed_at,
        bronze_version
    from begun_elsewhere

)

select * from sequence_ranges
