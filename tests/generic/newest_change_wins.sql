{#- Per key the newest change of silver is what gold shows: no older one won, no row outlived its delete or what emptied its
    table, none is missing. And no row outlived a record without a value that follows it under its Kafka key: the delete
    between the two was lost, as on a compacted topic. -#}
{% test newest_change_wins(model) -%}
    {{ config(meta={'cdc': {'findings': true}}) }}
    {%- do ref('cdc_sequence_ranges') -%}
    {%- set declared = cdc.gold_declaration(model) if execute else {} -%}
    {%- set silver = cdc.silver_of(declared) if execute else model -%}
    {%- set plan = {'has_ranges': cdc.has_ranges(declared) if execute else true} -%}
    {%- if not cdc.has_unchecked_changes() %}
    select 'nothing new since the last check' as finding where false
    {%- else %}
    {%- set has_tombstones = cdc.has_unchecked_tombstones(silver) %}
    with unchecked as (

        {{ cdc.unchecked_changes(model) if execute else 'select 1' }}

    ),

    ordered as (

        select
            changes.* except (row_key),
            {{ cdc.gold_key_column('changes', declaration=declared) }},
            {{ cdc.gold_sequence('changes', plan, declared) }} as gold_sequence
        from unchecked as changes
        {{- cdc.join_ranges('changes', plan) }}

    ),

    standing as (

        select ordered.*
        from ordered
            left anti join {{ cdc.state_of(model) }} as deletes
                on
                    ordered.row_key = deletes.row_key
                    and ordered.gold_sequence < deletes.delete_sequence
            left anti join {{ cdc.state_of(model) }} as emptied
                on
                    emptied.row_key is null
                    and {{ cdc.reaches('emptied', 'ordered', declared) }}
                    and ordered.gold_sequence < emptied.delete_sequence
        where ordered.row_key is not null

    ),

    newest as (

        select
            row_key,
            max(gold_sequence) as gold_sequence,
            max_by(
                struct(operation in ('delete', 'update_before') as is_deleted, topic, partition, offset),
                gold_sequence
            ) as change
        from standing
        group by row_key

    ),

    compared as (

        select
            newest.row_key,
            newest.change.topic,
            newest.change.partition,
            newest.change.offset,
            case
                when newest.change.is_deleted and current._change.sequence <= newest.gold_sequence
                    then 'the row outlived its delete'
                when not newest.change.is_deleted and current._change.sequence < newest.gold_sequence
                    then 'an older change won'
                when not newest.change.is_deleted and current._change is null
                    then 'the row is missing'
            end as finding
        from newest
            left join {{ model }} as current
                on newest.row_key = current._change.row_key

    ),

    emptyings as (

        select
            {{ cdc.reach_columns('ordered') }},
            {%- if cdc.shard_parts(declared) %}
            {{ cdc.shard_of('ordered', declared) }} as shard,
            {%- endif %}
            gold_sequence as delete_sequence,
            struct(
                topic,
                partition,
                offset,
                if(operation = 'truncate', 'TRUNCATE', 'DROP') as statement
            ) as emptying
        from ordered
        where
            {{ cdc.empties_the_table('ordered', declared) if execute else 'true' }}

    ),

    outlived as (

        select
            current._change.row_key,
            max_by(emptyings.emptying, emptyings.delete_sequence) as emptying
        from {{ model }} as current
            inner join emptyings
                on
                    current._change.sequence < emptyings.delete_sequence
                    and {{ cdc.reaches('emptyings', 'current._change', declared) }}
        group by current._change.row_key

    )
    {%- if has_tombstones %},

    tombstones as (

        select
            {{ cdc.source_key_of('changes', declared) }} as source_key,
            changes.topic,
            changes.topic_generation,
            changes.partition,
            changes.offset
        from {{ silver }} as changes
        where
            changes.feed = {{ cdc.quoted(declared.feed) }}
            and changes.operation = 'tombstone'
            and changes.row_key is not null
            and {{ cdc.is_unchecked() }}

    ),

    tombstoned as (

        select
            current._change.row_key,
            current._change.sequence.offset as row_offset,
            tombstones.*
        from {{ model }} as current
            inner join tombstones
                on
                    {{ cdc.source_part_of_key('current._change.row_key', declared) }} = tombstones.source_key
                    and current._change.topic = tombstones.topic
                    and current._change.partition = tombstones.partition
                    and current._change.sequence.offset < tombstones.offset

    ),

    -- a tombstone belongs to the change before it: a delete, unless that was lost. One that is sent again, or late, belongs
    -- to an older one
    left_over as (

        select
            tombstoned.row_key,
            max_by(struct(tombstoned.topic, tombstoned.partition, tombstoned.offset), tombstoned.offset) as tombstone
        from tombstoned
            left anti join {{ silver }} as changes
                on
                    changes.feed = {{ cdc.quoted(declared.feed) }}
                    and changes.topic = tombstoned.topic
                    and changes.topic_generation = tombstoned.topic_generation
                    and changes.partition = tombstoned.partition
                    and {{ cdc.source_key_of('changes', declared) }} = tombstoned.source_key
                    and changes.operation <> 'tombstone'
                    and changes.offset > tombstoned.row_offset
                    and changes.offset < tombstoned.offset
        group by tombstoned.row_key

    )
    {%- endif %}

    select
        row_key,
        topic,
        partition,
        offset,
        finding
    from compared
    where finding is not null
    union all
    select
        row_key,
        emptying.topic,
        emptying.partition,
        emptying.offset,
        concat('the row outlived the ', emptying.statement, ' of its table') as finding
    from outlived
    {%- if has_tombstones %}
    union all
    select
        row_key,
        tombstone.topic,
        tombstone.partition,
        tombstone.offset,
        'the row outlived its tombstone, whose delete was lost: was the topic compacted?' as finding
    from left_over
    {%- endif %}
    {%- endif %}
{%- endtest %}
