-- Rows that a change does not find as the change before it left them: a message between the two is missing, or
-- something wrote past the log. Updates and deletes tell it where a format brings the whole row before a change; an
-- insert tells it by a row that is there already, with other values.

with

changes as (

    select
        *,
        struct(topic, partition, offset) as place,
        -- where only offsets order, each partition is a stream of its own
        if(order_scope = 'offset', struct(topic, topic_generation, partition), null) as stream,
        {{ is_unchecked() }} as is_unchecked
    from {{ ref('changes') }}
    where
        operation in ('insert', 'update', 'upsert', 'delete', 'update_before')
        and row_key is not null
        and change_sequence.phase = 1
        and feed in ({{ quoted_list(var('feeds')) }})
        and {{ has_unchecked_changes() | lower }}

),

-- the change before a new one may have been checked long ago
of_keys_with_news as (

    select changes.*
    from changes
        left semi join changes as news
            on
                {{ is_same_key('changes', 'news') }}
                and news.is_unchecked

),

-- a producer that starts again sends changes twice, at the positions that they had
numbered as (

    select
        *,
        row_number() over (
            partition by
                feed, catalog_name, database_name, schema_name, table_name, row_key,
                position_space, change_sequence.position,
                if(size(change_sequence.position) > 0, null, struct(stream, offset, row_index))
            order by offset, row_index
        ) as sending
    from of_keys_with_news

),

followed as (

    select
        *,
        lag(
            struct(
                place,
                offset,
                message_timestamp,
                change_sequence,
                is_unchecked,
                operation = 'delete' as is_deleted,
                if(is_after_complete, after_image, null) as image
            )
        ) over (
            partition by feed, catalog_name, database_name, schema_name, table_name, row_key, position_space, stream
            order by change_sequence
        ) as previous
    from numbered
    where sending = 1

),

compared as (

    select
        *,
        if(operation = 'insert', after_image, before_image) as told_image,
        operation = 'insert' as is_insert
    from followed
    where
        (is_unchecked or previous.is_unchecked)
        and (is_before_complete or operation = 'insert' and not previous.is_deleted)
        -- a row that came from another key was never under this one
        and previous_row_key is null

),

breaks as (

    select
        *,
        filter(
            array_intersect(map_keys(told_image), map_keys(previous.image)),
            column_name -> not told_image[column_name] <=> previous.image[column_name]
        ) as other_columns
    from compared

)

select
    breaks.feed,
    breaks.database_name,
    breaks.schema_name,
    breaks.table_name,
    breaks.row_key,
    case
        when breaks.previous.is_deleted then 'the row was deleted before'
        when breaks.is_insert then 'the row that is inserted was there already'
        else 'the row was another one before'
    end as finding,
    breaks.other_columns,
    breaks.previous.place as previous_place,
    breaks.place
from breaks
    left anti join {{ restarts() }}
        on
            {{ lies_between('restarts', 'breaks.previous', 'breaks') }}
            and (breaks.is_insert or restarts.is_full_load)
where
    size(breaks.other_columns) > 0
    or breaks.previous.is_deleted
