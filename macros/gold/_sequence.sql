{% macro sequence_type() -%}
    struct<epoch int, phase int, position array<decimal(38, 0)>, offset bigint, row_index int, partition int>
{%- endmacro %}


{#- Older than every change. -#}
{% macro never() -%}
    named_struct(
                'epoch', -1, 'phase', 0, 'position', cast(array() as array<decimal(38, 0)>),
                'offset', cast(0 as bigint), 'row_index', 0, 'partition', 0
            )
{%- endmacro %}


{#- The order in which gold compares: the change's own sequence below its epoch. silver.sequence_ranges tells epochs
    and the positions that position-less rows inherit; tables without any do not join it. A recreated topic counts its
    offsets anew, which matters where the offset is all there is. The partition only makes equal offsets of two partitions
    end the same way in whatever order they come. -#}
{% macro gold_sequence(relation, plan, declaration=none) -%}
    named_struct(
                {%- if plan.has_ranges %}
                'epoch', {{ epoch_in_ranges(relation) }} + if({{ relation }}.order_scope = 'offset', {{ relation }}.topic_generation, 0)
                {{- epochs_by_cut_overs(relation, declaration) }},
                'phase', {{ relation }}.change_sequence.phase,
                'position', coalesce(ranges.inherited_position, {{ relation }}.change_sequence.position),
                {%- else %}
                'epoch', if({{ relation }}.order_scope = 'offset', {{ relation }}.topic_generation, 0)
                {{- epochs_by_cut_overs(relation, declaration) }},
                'phase', {{ relation }}.change_sequence.phase,
                'position', {{ relation }}.change_sequence.position,
                {%- endif %}
                'offset', {{ relation }}.change_sequence.offset,
                'row_index', {{ relation }}.change_sequence.row_index,
                'partition', {{ relation }}.partition
            )
{%- endmacro %}


{#- The epoch that the change's own partition tells, or a later one that began in another partition below its position. -#}
{% macro epoch_in_ranges(relation) -%}
    coalesce(
                    greatest(
                        ranges.epoch,
                        array_max(
                            transform(
                                filter(
                                    ranges.later_epochs,
                                    later -> later.position <= coalesce(ranges.inherited_position, {{ relation }}.change_sequence.position)
                                ),
                                later -> later.epoch
                            )
                        )
                    ),
                    0
                )
{%- endmacro %}


{% macro join_ranges(relation, plan) -%}
    {%- if plan.has_ranges %}
            left join {{ ref('sequence_ranges') }} as ranges
                on
                    {{ relation }}.feed = ranges.feed
                    and {{ relation }}.topic = ranges.topic
                    and {{ relation }}.topic_generation = ranges.topic_generation
                    and {{ relation }}.partition = ranges.partition
                    and {{ relation }}.catalog_name <=> ranges.catalog_name
                    and {{ relation }}.database_name <=> ranges.database_name
                    and {{ relation }}.schema_name <=> ranges.schema_name
                    and {{ relation }}.table_name = ranges.table_name
                    and {{ relation }}.offset between ranges.from_offset and coalesce(ranges.to_offset, {{ relation }}.offset)
    {%- endif -%}
{%- endmacro %}


{#- Where a full load that begins again stands: before everything of its epoch. -#}
{% macro beginning_of_epoch(epoch) -%}
    named_struct(
                'epoch', {{ epoch }},
                'phase', 0,
                'position', cast(array() as array<decimal(38, 0)>),
                'offset', cast(-1 as bigint),
                'row_index', 0,
                'partition', 0
            )
{%- endmacro %}


{% macro has_full_loads_again(plan) -%}
    {{ return(plan.has_ranges or cut_overs() != []) }}
{%- endmacro %}


{#- The full loads that began again, as the stream's own marks or the feed's cut-overs tell; as in the state, rows
    without a key. -#}
{% macro full_loads_again(plan) -%}
    {%- if plan.has_ranges %}
        select
            cast(null as array<string>) as row_key,
            {%- if shard_parts() %}
            {{ shard_of('changes') }} as shard,
            {%- endif %}
            if(is_told_by_position, null, topic) as topic,
            if(is_told_by_position, null, partition) as partition,
            'full_load' as operation,
            changed_at,
            false as has_position,
            {{ beginning_of_epoch('epoch' ~ epochs_by_cut_overs('changes')) }} as delete_sequence
        from {{ ref('sequence_ranges') }} as changes
        where
            {{ ranges_of_this_table('changes') }}
            and starts_full_load
    {%- endif %}
    {%- for time in cut_overs() %}
        {%- if plan.has_ranges or not loop.first %}

        union all
        {% endif %}
        -- once a change of the table has reached it: before that, the table would be empty until the load begins
        select distinct
            cast(null as array<string>) as row_key,
            {%- if shard_parts() %}
            cast(null as array<string>) as shard,
            {%- endif %}
            cast(null as string) as topic,
            cast(null as int) as partition,
            'full_load' as operation,
            cast({{ quoted(time) }} as timestamp) as changed_at,
            false as has_position,
            {{ beginning_of_epoch(loop.index * epochs_of_a_cut_over()) }} as delete_sequence
        {{ from_changes_of_run(dict(plan, has_ranges=false)) }}
            and {{ reaches_cut_over('changes', time) }}
    {%- endfor %}
{%- endmacro %}
