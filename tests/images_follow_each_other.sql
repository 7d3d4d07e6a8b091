{{ config(tags=['thorough'], meta={'cdc': {'findings': true}}) }}
-- Rows that a change does not find as the change before it left them: a message between the two is missing, or
-- something wrote past the log. Updates and deletes show it where a format carries the whole row before a change; an
-- insert shows it by a row that is there already, with other values. And changes that lose to an older one: they came
-- after it in its partition, and found the row as it had left it. And updates with NULL in place of a value that may
-- not have changed, and rows that left large values under an old key that is not known.

{%- set both_orders = cdc.feeds_of_both_orders() %}

{%- if not cdc.has_unchecked_changes() %}

select 'nothing new since the last check' as finding
where false
{%- else %}

with

changes as (

    select
        *,
        struct(topic, partition, offset) as place,
        -- where only offsets order, each partition is a stream of its own
        if(order_scope = 'offset', struct(topic, topic_generation, partition), null) as stream,
        {{ cdc.is_unchecked() }} as is_unchecked
    from (
        {{- cdc.changes_as_kept() }}
    ) as kept
    where
        operation in ('insert', 'update', 'upsert', 'delete', 'update_before')
        and {{ cdc.names_a_row('row_key') }}
        and change_sequence.phase = 1
        and feed in ({{ cdc.quoted_list(cdc.feeds()) }})
        and {{ cdc.is_compared() }}
        and {{ cdc.is_after_cut_overs('kept') }}

),

-- the change before a new one may have been checked long ago
of_keys_with_new_changes as (

    select{{ cdc.broadcast_of_few_new_changes() }}
        changes.* except (before_image),
        {{ cdc.as_column(cdc.row_before_by_format('changes'), 'before_image') }}
    from changes
        left semi join changes as new_changes
            on
                {{ cdc.is_same_key('changes', 'new_changes') }}
                and new_changes.is_unchecked

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
        of_keys_with_new_changes.*,
        named_struct(
            'epoch', {{ cdc.epoch_in_ranges('of_keys_with_new_changes') }}
            {%- if both_orders %}
            + if(
                of_keys_with_new_changes.feed in ({{ cdc.quoted_list(both_orders) }}),
                of_keys_with_new_changes.topic_generation,
                0
            )
            {%- endif %},
            'position', {{ cdc.position_in_ranges('of_keys_with_new_changes') }},
            'offset', of_keys_with_new_changes.offset,
            'row_index', of_keys_with_new_changes.row_index,
            'partition', of_keys_with_new_changes.partition
        ) as place_in_order
    from of_keys_with_new_changes
        left join ranges
            on
                {{ cdc.is_in_range('of_keys_with_new_changes') }}

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
        ) as sent
    from in_order

),

followed as (

    select
        *,
        lag(sent) over (
            partition by feed, catalog_name, database_name, schema_name, table_name, row_key, stream
            order by place_in_order
        ) as previous,
        lag(sent) over (
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
        if(operation = 'insert', after_image, before_image) as image_to_compare,
        operation = 'insert' as is_insert,
        operation = 'update' and size(change_sequence.position) > 0 as is_placed_update,
        -- without a position a change is newer than those before it
        size(change_sequence.position) > 0 and place_in_order < sent_before.place_in_order as is_overtaken
    from followed
    where
        sending = 1
        -- a row that came from another key was never under this one
        and previous_row_key is null
        and (is_unchecked or previous.is_unchecked or sent_before.is_unchecked)

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

compared as (

    select
        first_sendings.*,
        -- after an ALTER a message may write the same value in another way
        if(
            first_sendings.schema_id <> previous.schema_id,
            cast(array() as array<string>),
            filter(
                array_intersect(map_keys(image_to_compare), map_keys(previous.image)),
                column_name -> not image_to_compare[column_name] <=> previous.image[column_name]
            )
        ) as broken_columns,
        array_intersect(map_keys(image_to_compare), map_keys(sent_before.image)) as columns_sent_before,
        if(
            source_type = 'postgresql' and operation = 'update' and not is_before_complete and not previous.is_deleted,
            filter(
                types_without_placeholder.column_names,
                column_name -> after_image[column_name] is null and previous.image[column_name] is not null
            ),
            cast(array() as array<string>)
        ) as emptied_columns
    from first_sendings
        left join types_without_placeholder
            on first_sendings.schema_id = types_without_placeholder.schema_id

),

judged as (

    select
        *,
        case
            -- no images are needed to see that an update finds no row, if the order is the source's
            when previous.is_deleted and (is_before_complete or is_placed_update)
                then 'the row was deleted before'
            when is_insert and size(broken_columns) > 0 then 'the row that is inserted was there already'
            when is_before_complete and size(broken_columns) > 0 then 'the row was another one before'
        end as break,
        -- a change that found the row as the one before it in its partition left it, and loses to that one
        if(
            is_overtaken
            and (
                is_insert and sent_before.is_deleted
                or not is_insert
                and is_before_complete
                and size(columns_sent_before) > 0
                and forall(
                    columns_sent_before,
                    column_name -> image_to_compare[column_name] <=> sent_before.image[column_name]
                )
            ),
            'it came after a change, found the row as that one left it, and loses to it: gold shows the older one',
            null
        ) as overtaking,
        if(
            size(emptied_columns) > 0,
            'NULL came where the row had a large value: PostgreSQL may have left out what did not change',
            null
        ) as emptying,
        -- PostgreSQL leaves out what did not change: an insert without values is the second half of a key change
        if(
            source_type = 'postgresql' and is_insert and size(after_unavailable) > 0,
            'the row is inserted without large values: they are under its old key, which is not known',
            null
        ) as leaving
    from compared

),

contradictions as (

    select
        judged.*,
        found.*
    from judged
            lateral view inline(
            array(
                struct(break as finding, previous as earlier, broken_columns as other_columns),
                struct(overtaking as finding, sent_before as earlier, cast(array() as array<string>) as other_columns),
                struct(emptying as finding, previous as earlier, emptied_columns as other_columns),
                struct(leaving as finding, previous as earlier, after_unavailable as other_columns)
            )
        ) found as finding, earlier, other_columns
    where found.finding is not null

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
{%- endif %}
