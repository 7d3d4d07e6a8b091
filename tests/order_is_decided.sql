-- Changes whose order the messages leave open: two different changes of one key at one source position, or, in a format
-- that only offsets order, a key in several partitions (gold shows the change of the higher offset) and a table that
-- was emptied in one of its several partitions (gold keeps the rows of the others).
{%- set has_ties = has_shared_positions() %}

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
        and {{ has_unchecked_changes() | lower }}

),

-- the other side of a conflict may have been checked long ago
of_keys_with_news as (

    select changes.*
    from changes
        left semi join changes as news
            on
                {{ is_same_key('changes', 'news') }}
                and news.is_unchecked
    where changes.order_scope = 'offset'

),

{% if has_ties -%}
ties as (

    select
        changes.feed,
        changes.database_name,
        changes.schema_name,
        changes.table_name,
        changes.row_key,
        'different changes at one position' as finding,
        min(changes.place) as first_place,
        max(changes.place) as last_place
    from changes
        left semi join changes as news
            on
                {{ is_same_key('changes', 'news') }}
                and {{ is_same_position('changes', 'news') }}
                and news.is_unchecked
    where
        changes.change_sequence.phase = 1
        -- the other half of an update
        and changes.operation <> 'update_before'
    group by
        changes.feed,
        changes.database_name,
        changes.schema_name,
        changes.table_name,
        changes.row_key,
        changes.position_space,
        changes.change_sequence.position
    having count(distinct struct(changes.operation, to_json(changes.after_image))) > 1

),

{% endif -%}
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

select * from wanderers
union all
select * from half_emptied
{%- if has_ties %}
union all
select * from ties
{%- endif %}
