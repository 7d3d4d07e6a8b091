{#- What allows a row to differ from what the change before left: a TRUNCATE or DROP, a full load that began again by its
    marks, or by the feed's `cut_overs`. One row each, of the table or, where `place_pattern` is set, of those that match it. -#}
{% macro restarts() -%}
    (
        select
            feed,
            database_name,
            schema_name,
            table_name,
            null as place_pattern,
            topic,
            partition,
            offset,
            change_sequence,
            null as began_at,
            false as is_full_load
        from {{ ref('cdc_changes') }}
        where
            operation = 'truncate'
            or operation = 'schema_change' and ddl_kind = 'drop'

        union all

        select
            feed,
            database_name,
            schema_name,
            table_name,
            null as place_pattern,
            topic,
            partition,
            from_offset as offset,
            if(
                load_position is null,
                null,
                named_struct('phase', 1, 'position', load_position, 'offset', cast(-1 as bigint), 'row_index', 0)
            ) as change_sequence,
            null as began_at,
            true as is_full_load
        from {{ ref('cdc_sequence_ranges') }}
        where starts_full_load
        {%- for feed, pattern, time in cdc.declared_cut_overs() %}

        union all

        select
            {{ cdc.quoted(feed) }} as feed,
            null as database_name,
            null as schema_name,
            null as table_name,
            {{ cdc.quoted(pattern) }} as place_pattern,
            null as topic,
            null as partition,
            null as offset,
            null as change_sequence,
            cast({{ cdc.quoted(time) }} as timestamp) as began_at,
            true as is_full_load
        {%- endfor %}
    ) as restarts
{%- endmacro %}


{#- Did it happen between two changes of one row? By the source's positions, by offsets of one partition, or by
    the time in Kafka. -#}
{% macro lies_between(restarts, earlier, later) -%}
    {{ later }}.feed = {{ restarts }}.feed
            and (
                {{ restarts }}.place_pattern is null
                and {{ later }}.database_name <=> {{ restarts }}.database_name
                and {{ later }}.schema_name <=> {{ restarts }}.schema_name
                and {{ later }}.table_name = {{ restarts }}.table_name
                or {{ cdc.has_place(later, restarts ~ '.place_pattern') }}
            )
            and (
                {{ later }}.topic = {{ restarts }}.topic
                and {{ later }}.partition = {{ restarts }}.partition
                and {{ restarts }}.offset between {{ earlier }}.offset and {{ later }}.offset
                or {{ later }}.order_scope = 'position'
                and {{ restarts }}.change_sequence between {{ earlier }}.change_sequence and {{ later }}.change_sequence
                or {{ earlier }}.message_timestamp < {{ restarts }}.began_at
                and {{ later }}.message_timestamp >= {{ restarts }}.began_at
            )
{%- endmacro %}


{#- Does a change count after the cut-overs of its table? What came before one that a change has reached is superseded: gold has nothing of it,
    and what it contradicts is no matter any more. -#}
{% macro is_after_cut_overs(relation) -%}
    {%- for feed, pattern, time in cdc.declared_cut_overs() %}
        {{- ' and ' if not loop.first }}not (
            {{ relation }}.feed = {{ cdc.quoted(feed) }}
            and {{ cdc.has_place(relation, cdc.quoted(pattern)) }}
            and coalesce(
                {{ relation }}.message_timestamp < (
                    select cast({{ cdc.quoted(time) }} as timestamp)
                    from {{ ref('cdc_changes') }} as reached
                    where
                        reached.feed = {{ cdc.quoted(feed) }}
                        and {{ cdc.has_place('reached', cdc.quoted(pattern)) }}
                        and {{ cdc.reaches_cut_over('reached', time) }}
                    limit 1
                ),
                false
            )
        )
    {%- else -%}
    true
    {%- endfor -%}
{%- endmacro %}
