{{ config(meta={'cdc': {'findings': true}}) }}
-- Rows that a change does not find as the change before it left them: a message between the two is missing, or
-- something wrote past the log. Updates and deletes show it where a format carries the whole row before a change; an
-- insert shows it by a row that is there already, with other values. And changes that lose to an older one: they came
-- after it in its partition, and found the row as it had left it. And updates with NULL in place of a value that may
-- not have changed.

with

changes as (

    select
        *,
        struct(topic, partition, offset) as place,
        -- where only offsets order, each partition is a stream of its own
        if(order_scope = 'offset', struct(topic, topic_generation, partition), null) as stream,
        {{ cdc.is_unchecked() }} as is_unchecked
    from {{ ref('cdc_changes') }} as told
    where
        operation in ('insert', 'update', 'upsert', 'delete', 'update_before')
        and {{ cdc.names_a_row('row_key') }}
        and change_sequence.phase = 1
        and feed in ({{ cdc.quoted_list(cdc.feeds()) }})
        and {{ cdc.has_unchecked_changes() | lower }}
        and {{ cdc.is_after_cut_overs('told') }}

),

-- the change before a new one may have been checked long ago
of_keys_with_news as (

    select changes.*
    from changes
        left semi join changes as news
            on
                {{ cdc.is_same_key('changes', 'news') }}
                and news.is_unchecked

),

ranges as (

    select * from {{ ref('cdc_sequence_ranges') }}
    where
        epoch > 0
        or later_epochs is not null
        or inherited_position is not null

),

-- the order of gold, over epochs and with positions that are inherited
in_order as (

    select
        of_keys_with_news.*,
        named_struct(
            'epoch', {{ cdc.epoch_in_ranges('of_keys_with_news') }},
            'position', {{ cdc.position_in_ranges('of_keys_with_news') }},
            'offset', of_keys_with_news.offset,
            'row_index', of_keys_with_news.row_index,
            'partition', of_keys_with_news.partition
        ) as place_in_order
    from of_keys_with_news
        left join ranges
            on
                {{ cdc.is_in_range('of_keys_with_news') }}

),

-- a producer that starts again sends changes twice, at the positions that they had
numbered as (

    select
        *,
        row_number() over (
            partition by
                feed, catalog_name, database_name, schema_name, table_name, row_key,
                position_space, change_sequence.position, operation, to_json(before_image), to_json(after_image),
                if(size(change_sequence.position) > 0, null, struct(stream, offset, row_index))
            order by offset, row_index
        ) as sending,
        struct(
            place,
            offset,
            message_timestamp,
            change_sequence,
            place_in_order,
            is_unchecked,
            schema_id,
            operation = 'delete' as is_deleted,
            if(is_after_complete, after_image, null) as image
        ) as told
    from in_order

),

followed as (

    select
        *,
        lag(told) over (
            partition by feed, catalog_name, database_name, schema_name, table_name, row_key, stream
            order by place_in_order
        ) as previous,
        lag(told) over (
            partition by
                feed, catalog_name, database_name, schema_name, table_name, row_key,
                topic, topic_generation, partition
            order by offset, row_index
        ) as sent_before
    from numbered

),

first_sendings as (

    select
        *,
        if(operation = 'insert', after_image, before_image) as told_image,
        operation = 'insert' as is_insert,
        -- without a position a change is newer than those before it
        size(change_sequence.position) > 0 and place_in_order < sent_before.place_in_order as is_overtaken
    from followed
    where
        sending = 1
        -- a row that came from another key was never under this one
        and previous_row_key is null

),

compared as (

    select
        *,
        previous as earlier
    from first_sendings
    where
        is_before_complete
        or is_insert and not previous.is_deleted
        -- no images are needed to see that an update finds no row, if the order is the source's
        or operation = 'update' and previous.is_deleted and size(change_sequence.position) > 0

),

breaks as (

    select
        *,
        -- behind an ALTER a message may write the same value in another way
        if(
            schema_id <> earlier.schema_id,
            cast(array() as array<string>),
            filter(
                array_intersect(map_keys(told_image), map_keys(earlier.image)),
                column_name -> not told_image[column_name] <=> earlier.image[column_name]
            )
        ) as other_columns,
        case
            when earlier.is_deleted then 'the row was deleted before'
            when is_insert then 'the row that is inserted was there already'
            else 'the row was another one before'
        end as finding
    from compared

),

-- a change that found the row as the one before it in its partition left it, and loses to that one
overtaken as (

    select
        *,
        sent_before as earlier,
        cast(array() as array<string>) as other_columns,
        'it came after a change, found the row as that one left it, and loses to it: gold shows the older one'
            as finding
    from first_sendings
    where
        is_overtaken
        and (
            is_insert and sent_before.is_deleted
            or not is_insert
            and is_before_complete
            and size(array_intersect(map_keys(told_image), map_keys(sent_before.image))) > 0
            and forall(
                array_intersect(map_keys(told_image), map_keys(sent_before.image)),
                column_name -> told_image[column_name] <=> sent_before.image[column_name]
            )
        )

),

-- for an unchanged large value of these types Debezium has no placeholder, and NULL comes
types_without_placeholder as (

    select
        schema_id,
        collect_set(column_name) as column_names
    from {{ ref('cdc_schemas') }}
    where
        source_type rlike r'^io\.debezium\.data\.(geometry\.\w+|\w*Vector)\z'
        or source_type = 'array' and proposed_type in ('array<smallint>', 'array<boolean>', 'string')
    group by schema_id

),

emptied as (

    select
        first_sendings.*,
        first_sendings.previous as earlier,
        filter(
            types_without_placeholder.column_names,
            column_name -> first_sendings.after_image[column_name] is null
            and first_sendings.previous.image[column_name] is not null
        ) as other_columns,
        'NULL came where the row had a large value: PostgreSQL may have left out what did not change' as finding
    from first_sendings
        inner join types_without_placeholder
            on first_sendings.schema_id = types_without_placeholder.schema_id
    where
        first_sendings.source_type = 'postgresql'
        and first_sendings.operation = 'update'
        and not first_sendings.is_before_complete
        and not first_sendings.previous.is_deleted

),

contradictions as (

    select * except (is_overtaken)
    from breaks
    where
        size(other_columns) > 0
        or earlier.is_deleted
    union all
    select * except (is_overtaken)
    from overtaken
    union all
    select * except (is_overtaken)
    from emptied
    where size(other_columns) > 0

)

select
    {{ cdc.gold_table_of('contradictions') }} as gold_table,
    contradictions.feed,
    contradictions.topic,
    contradictions.partition,
    contradictions.offset,
    contradictions.row_key,
    contradictions.finding,
    contradictions.database_name,
    contradictions.schema_name,
    contradictions.table_name,
    contradictions.other_columns,
    contradictions.earlier.place as previous_place,
    contradictions.place
from contradictions
    left anti join {{ cdc.restarts() }}
        on
            {{ cdc.lies_between('restarts', 'contradictions.earlier', 'contradictions') }}
            and (contradictions.is_insert or restarts.is_full_load)
where contradictions.is_unchecked or contradictions.earlier.is_unchecked
