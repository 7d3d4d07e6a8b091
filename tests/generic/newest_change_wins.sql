{#- Per key the newest change of silver is what gold shows: no older one won, no row outlived its delete or what emptied its
    table, none is missing. -#}
{% test newest_change_wins(model) -%}
    {%- do ref('sequence_ranges') -%}
    {%- set declared = gold_declaration(model) if execute else {} -%}
    {%- set plan = {'has_ranges': has_ranges(declared) if execute else true} -%}
    {%- if not has_unchecked_changes() %}
    select 'nothing new since the last check' as finding where false
    {%- else %}
    with unchecked as (

        {{ unchecked_changes(model) if execute else 'select 1' }}

    ),

    ordered as (

        select
            changes.* except (row_key),
            {{ gold_key_column('changes', declaration=declared) }},
            {{ gold_sequence('changes', plan, declared) }} as gold_sequence
        from unchecked as changes
        {{- join_ranges('changes', plan) }}
        where changes.row_key is not null

    ),

    standing as (

        select ordered.*
        from ordered
            left anti join {{ state_of(model) }} as deletes
                on
                    ordered.row_key = deletes.row_key
                    and ordered.gold_sequence < deletes.delete_sequence
            left anti join {{ state_of(model) }} as emptied
                on
                    emptied.row_key is null
                    and {{ reaches('emptied', 'ordered', declared) }}
                    and ordered.gold_sequence < emptied.delete_sequence

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
            if(changes.order_scope = 'offset', changes.topic, null) as topic,
            if(changes.order_scope = 'offset', changes.partition, null) as partition,
            struct(changes.topic, changes.partition, changes.offset) as place,
            {%- if shard_parts(declared) %}
            {{ shard_of('changes', declared) }} as shard,
            {%- endif %}
            {{ gold_sequence('changes', plan, declared) }} as delete_sequence
        from unchecked as changes
        {{- join_ranges('changes', plan) }}
        where changes.operation = 'truncate'

    ),

    outlived as (

        select
            current._change.row_key,
            max(emptyings.place).topic as topic,
            max(emptyings.place).partition as partition,
            max(emptyings.place).offset as offset,
            'the row outlived the TRUNCATE of its table' as finding
        from {{ model }} as current
            inner join emptyings
                on
                    current._change.sequence < emptyings.delete_sequence
                    and {{ reaches('emptyings', 'current._change', declared) }}
        group by current._change.row_key

    )

    select * from compared
    where finding is not null
    union all
    select * from outlived
    {%- endif %}
{%- endtest %}
