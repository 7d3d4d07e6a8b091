-- Rows whose image before a change is not what the change before it left: a message between the two is missing, or
-- something wrote past the log. It speaks where a format brings whole images of both sides.

with

unchecked as (

    select
        *,
        struct(topic, partition, offset) as place,
        -- where only offsets order, each partition is a stream of its own
        if(order_scope = 'offset', struct(topic, topic_generation, partition), null) as stream
    from {{ ref('changes') }}
    where
        operation in ('insert', 'update', 'upsert', 'delete', 'update_before')
        and row_key is not null
        and change_sequence.phase = 1
        and feed in ({{ quoted_list(var('feeds')) }})
        and {{ is_unchecked() }}

),

-- a producer that starts again sends changes twice, at the positions that they had
numbered as (

    select
        *,
        row_number() over (
            partition by
                feed, database_name, schema_name, table_name, row_key, position_space, change_sequence.position,
                if(size(change_sequence.position) > 0, null, struct(stream, offset, row_index))
            order by offset, row_index
        ) as sending
    from unchecked

),

followed as (

    select
        *,
        lag(struct(place, if(is_after_complete, after_image, null) as image)) over (
            partition by feed, database_name, schema_name, table_name, row_key, position_space, stream
            order by change_sequence
        ) as previous
    from numbered
    where sending = 1

),

compared as (

    select
        *,
        filter(
            array_intersect(map_keys(before_image), map_keys(previous.image)),
            column_name -> not before_image[column_name] <=> previous.image[column_name]
        ) as other_columns
    from followed
    where
        is_before_complete
        -- a row that came from another key was never under this one
        and previous_row_key is null

)

select
    feed,
    database_name,
    schema_name,
    table_name,
    row_key,
    other_columns,
    previous.place as previous_place,
    place
from compared
where size(other_columns) > 0
