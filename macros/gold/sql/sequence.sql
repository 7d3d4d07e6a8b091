{% macro sequence_type() -%}
    struct<epoch int, phase int, position array<decimal(38, 0)>, offset bigint, row_index int, partition int>
{%- endmacro %}


{#- Older than every change. -#}
{% macro lowest_sequence() -%}
    named_struct(
                'epoch', -1, 'phase', 0, 'position', cast(array() as array<decimal(38, 0)>),
                'offset', cast(0 as bigint), 'row_index', 0, 'partition', 0
            )
{%- endmacro %}


{#- The order in which gold compares: first the epoch, then the change's own sequence. silver.sequence_ranges has the epochs
    and the positions that rows without one inherit; tables without any do not join it. The partition only makes equal offsets of two
    partitions end the same way in whatever order they come. -#}
{% macro gold_sequence(relation, plan, declaration=none) -%}
    named_struct(
                {%- if plan.has_ranges %}
                'epoch', {{ cdc.epoch_in_ranges(relation) }} + {{ cdc.epochs_by_generation(relation, declaration) }}
                {{- cdc.epochs_by_cut_overs(relation, declaration) }},
                'phase', {{ relation }}.change_sequence.phase,
                'position', {{ cdc.position_in_ranges(relation) }},
                {%- else %}
                'epoch', {{ cdc.epochs_by_generation(relation, declaration) }}
                {{- cdc.epochs_by_cut_overs(relation, declaration) }},
                'phase', {{ relation }}.change_sequence.phase,
                'position', {{ relation }}.change_sequence.position,
                {%- endif %}
                'offset', {{ relation }}.change_sequence.offset,
                'row_index', {{ relation }}.change_sequence.row_index,
                'partition', {{ relation }}.partition
            )
{%- endmacro %}


{#- What a topic that was created again adds to the epoch: it counts offsets from 0 again, which matters where the offset is all
    there is. Where only some rows of a table have a position, it counts for all of them, as one topic's rows must not be compared
    by two rules. -#}
{% macro epochs_by_generation(relation, declaration=none) -%}
    {%- if execute and (declaration or model.config.meta).feed in cdc.feeds_of_both_orders() -%}
        {{ relation }}.topic_generation
    {%- else -%}
        if({{ relation }}.order_scope = 'offset', {{ relation }}.topic_generation, 0)
    {%- endif -%}
{%- endmacro %}


{#- The change's own position, or the one that it inherits. -#}
{% macro position_in_ranges(relation) -%}
    if(
                    ranges.inherits_in_file is null or ranges.inherits_in_file = get({{ relation }}.change_sequence.position, 0),
                    coalesce(ranges.inherited_position, {{ relation }}.change_sequence.position),
                    {{ relation }}.change_sequence.position
                )
{%- endmacro %}


{#- The name of the log files in a position space, which may be written after the server that wrote a change. -#}
{% macro log_files_of(position_space) -%}
    substring_index({{ position_space }}, '/', -1)
{%- endmacro %}


{#- MySQL and MariaDB write a position with 32 bits. -#}
{% macro positions_of_a_file() -%}
    {{ return(4294967296) }}
{%- endmacro %}


{#- Did positions [file, place, ...] of 32 bits begin again in one file between two changes, the later one of which comes after
    the other in its partition? A file grows beyond 1 GiB by one transaction alone, so that no producer goes back so far. A
    place that 32 bits do not hold is none of MySQL's: GoldenGate's [commit, place in the trail] goes back over its files. -#}
{% macro begins_again_in_file(space, earlier, later) -%}
    coalesce(
            {{ space }} is not null
            and get({{ later }}, 0) = get({{ earlier }}, 0)
            and get({{ earlier }}, 1) < {{ cdc.positions_of_a_file() }}
            and get({{ later }}, 1) < get({{ earlier }}, 1) - {{ cdc.positions_of_a_file() // 2 }},
            false
        )
{%- endmacro %}


{#- The epoch of the change's own partition, or a later one that began in another partition at or before its position. -#}
{% macro epoch_in_ranges(relation) -%}
    coalesce(
                    greatest(
                        ranges.epoch,
                        array_max(
                            transform(
                                filter(
                                    ranges.later_epochs,
                                    later -> later.position <= {{ cdc.position_in_ranges(relation) }}
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
            left join {{ ref('cdc_sequence_ranges') }} as ranges
                on
                    {{ cdc.is_in_range(relation) }}
    {%- endif -%}
{%- endmacro %}


{#- Is a change one of those that a row of `ranges`, of silver.sequence_ranges, is about? -#}
{% macro is_in_range(relation) -%}
    {{ relation }}.feed = ranges.feed
                    and {{ relation }}.topic = ranges.topic
                    and {{ relation }}.topic_generation = ranges.topic_generation
                    and {{ relation }}.partition = ranges.partition
                    and {{ relation }}.catalog_name <=> ranges.catalog_name
                    and {{ relation }}.database_name <=> ranges.database_name
                    and {{ relation }}.schema_name <=> ranges.schema_name
                    and {{ relation }}.table_name = ranges.table_name
                    and {{ relation }}.offset between ranges.from_offset and coalesce(ranges.to_offset, {{ relation }}.offset)
{%- endmacro %}


{#- The sequence of a full load that begins again: older than everything else of its epoch. -#}
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
    {{ return(plan.has_ranges or cdc.cut_overs() != []) }}
{%- endmacro %}
