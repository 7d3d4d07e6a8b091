{#- Is a row of silver one of the model's table, and of the bronze versions that this run reads? Of all versions without a plan for a run. -#}
{% macro is_of_run(relation, plan) -%}
    {{ cdc.of_this_table(relation) }}
            {%- if plan.from_version is not none %}
            and {{ relation }}.bronze_version > {{ plan.from_version }}
            {%- endif %}
            {%- if plan.version is not none %}
            and {{ relation }}.bronze_version <= {{ plan.version }}
            {%- endif %}
{%- endmacro %}


{#- The table's row changes that this run reads; where the plan rebuilds moved keys, the CTE moved_keys lists these. -#}
{% macro changes_of_table(plan) -%}
        select
            {{ cdc.gold_key_column('changes') }},
            {{ cdc.gold_key_column('changes', 'previous_row_key') }},
            changes.operation,
            changes.operation in ('delete', 'update_before') as is_deleted,
            {{ cdc.as_column(cdc.gold_image('changes', 'changes.after_image', plan.columns), 'after_image') }},
            changes.is_after_complete,
            changes.schema_id,
            changes.topic,
            changes.partition,
            changes.changed_at,
            size(changes.change_sequence.position) > 0 as has_position,
            {{ 'moved.row_key is not null' if plan.rebuilds_moved else 'false' }} as is_rebuilt,
            {{ cdc.gold_sequence('changes', plan) }} as sequence
        from {{ ref(model.config.meta.silver) }} as changes
        {{- cdc.join_ranges('changes', plan) }}
        {{- cdc.join_types_of_key('changes') }}
        {%- if plan.rebuilds_moved %}
            left join moved_keys as moved
                on {{ cdc.gold_key('changes') }} = moved.row_key
        {%- endif %}
        where
            {{ cdc.of_this_table('changes') }}
            {%- if plan.rebuilds_moved %}
            -- keys that exchanged rows depend on each other's history: they are made from all of it
            and (changes.bronze_version > {{ plan.from_version }} or moved.row_key is not null)
            {%- elif plan.from_version is not none %}
            and changes.bronze_version > {{ plan.from_version }}
            {%- endif %}
            {%- if plan.version is not none %}
            and changes.bronze_version <= {{ plan.version }}
            {%- endif %}
            and changes.operation in ('insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before')
            and {{ cdc.names_a_row('changes.row_key') }}
{%- endmacro %}


{#- The keys that took part in a move of unavailable values, each once: the state may have several rows of one. -#}
{% macro moved_keys() -%}
        select distinct row_key
        from {{ cdc.state_relation() }}
        where moved_sequence is not null
{%- endmacro %}


{#- TRUNCATE, and DROP unless the feed keeps what the source has dropped; the DROP with which a full load describes a table
    removes nothing: the load's rows say what is there. -#}
{% macro clears_the_table(relation, declaration=none) -%}
    {%- set meta = declaration or model.config.meta -%}
    {{ relation }}.operation = 'truncate'
    {%- if cdc.feed_settings(meta.feed).on_drop != 'keep' %}
                or {{ relation }}.operation = 'schema_change' and {{ relation }}.ddl_kind = 'drop' and {{ relation }}.change_sequence.phase > 0
    {%- endif -%}
{%- endmacro %}


{#- Can the state supersede changes of this run? A table that is rebuilt has the deletes of its keys among them. -#}
{% macro may_have_superseded_changes(plan) -%}
    {{ return(
        plan.mode == 'merge' or plan.moves or plan.new_changes.get('truncates', 0) > 0 or cdc.has_full_loads_again(plan)
    ) }}
{%- endmacro %}


{#- Those that no newer delete of their key, and no newer TRUNCATE or DROP, has superseded. -#}
{% macro changes_not_superseded() -%}
        select changes.*
        from changes_of_table as changes
            left anti join {{ cdc.state_relation() }} as deletes
                on
                    changes.row_key = deletes.row_key
                    and changes.sequence < deletes.delete_sequence
            left anti join {{ cdc.state_relation() }} as cleared
                on
                    cleared.row_key is null
                    and {{ cdc.reaches('cleared', 'changes') }}
                    and changes.sequence < cleared.delete_sequence
{%- endmacro %}
