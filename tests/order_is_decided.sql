-- Changes whose order the messages leave open: two different changes of one key at one source position, or a key in
-- several partitions of a format that only offsets order. Gold then shows the one of the higher offset.

with

unchecked as (

    select
        *,
        struct(topic, partition, offset) as place
    from {{ ref('changes') }}
    where
        operation in ('insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before')
        and row_key is not null
        and feed in ({{ quoted_list(var('feeds')) }})
        and {{ is_unchecked() }}

),

ties as (

    select
        feed,
        database_name,
        schema_name,
        table_name,
        row_key,
        'different changes at one position' as finding,
        min(place) as first_place,
        max(place) as last_place
    from unchecked
    where
        size(change_sequence.position) > 0
        and change_sequence.phase = 1
    group by feed, database_name, schema_name, table_name, row_key, position_space, change_sequence.position
    having count(distinct operation, to_json(after_image)) > 1

),

wanderers as (

    select
        feed,
        database_name,
        schema_name,
        table_name,
        row_key,
        'the key stands in several partitions' as finding,
        min(place) as first_place,
        max(place) as last_place
    from unchecked
    where order_scope = 'offset'
    group by feed, database_name, schema_name, table_name, row_key
    having count(distinct topic, partition) > 1

)

select * from ties
union all
select * from wanderers
