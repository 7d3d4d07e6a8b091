-- Changes whose order the messages leave open: two different changes of one key at one source position, or, in a format
-- that only offsets order, a key in several partitions (gold shows the change of the higher offset) and a table that
-- was emptied in one of its several partitions (gold keeps the rows of the others).

with

changes as (

    select
        *,
        struct(topic, partition, offset) as place,
        {{ is_unchecked() }} as is_unchecked
    from {{ ref('changes') }}
    where
        (
            operation in ('insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before')
            and row_key is not null
            or operation = 'truncate'
            or operation = 'schema_change' and ddl_kind = 'drop'
        )
        and feed in ({{ quoted_list(var('feeds')) }})
        {%- if not has_unchecked_changes() %}
        and false
        {%- endif %}

),

-- the other side of a conflict may have been checked long ago
of_keys_with_news as (

    select changes.*
    from changes
        left semi join changes as news
            on
                changes.feed = news.feed
                and changes.database_name <=> news.database_name
                and changes.schema_name <=> news.schema_name
                and changes.table_name <=> news.table_name
                and changes.row_key = news.row_key
                and news.is_unchecked

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
    from of_keys_with_news
    where
        size(change_sequence.position) > 0
        and change_sequence.phase = 1
        -- the other half of an update
        and operation <> 'update_before'
    group by feed, database_name, schema_name, table_name, row_key, position_space, change_sequence.position
    having
        count(distinct struct(operation, to_json(after_image))) > 1
        and count_if(is_unchecked) > 0

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
    from of_keys_with_news
    where
        order_scope = 'offset'
    group by feed, database_name, schema_name, table_name, row_key
    having count(distinct topic, partition) > 1

),

half_emptied as (

    select
        feed,
        database_name,
        schema_name,
        table_name,
        cast(null as array<string>) as row_key,
        'the table was emptied in one of several partitions' as finding,
        min(place) as first_place,
        max(place) as last_place
    from changes
    where
        order_scope = 'offset'
        and table_name is not null
    group by feed, database_name, schema_name, table_name
    having
        count(distinct topic, partition) > 1
        and count_if(row_key is null) > 0
        and count_if(is_unchecked) > 0

)

select * from ties
union all
select * from wanderers
union all
select * from half_emptied
