{#- What the new changes say of each key, typed; one row per key. `plan`: what gold_plan returns for the model. -#}
{% macro latest_of_table(feed_name, plan) -%}
    {%- set columns = plan.columns -%}
    {%- set sources = cdc.column_sources(columns) -%}
    {%- set decoded = cdc.decoded_columns(feed_name, sources) -%}
    with
    {%- if plan.rebuilds_moved %}

    moved_keys as (

        {{ cdc.moved_keys() }}

    ),
    {%- endif %}
    {%- if cdc.may_have_superseded_changes(plan) %}

    changes_of_table as (

        {{ cdc.changes_of_table(plan) }}

    ),

    changes as (

        {{ cdc.changes_not_superseded() if plan.version is not none else 'select * from changes_of_table' }}

    ),
    {%- else %}

    changes as (

        {{ cdc.changes_of_table(plan) }}

    ),
    {%- endif %}
    {%- if decoded %}

    column_types as (

        {{ cdc.wires_of_schemas(cdc.names_in_messages(columns)) }}

    ),
    {%- endif %}
    {%- if plan.moves %}

    {{ cdc.moved_values(
        'changes_of_table', 'changes', cdc.state_relation() if plan.version is not none, 'column_types' if decoded
    ) }},
    {%- endif %}
    {%- if plan.by_column and plan.moves %}

    {{ cdc.latest_by_column('moved', 'column_types' if decoded, 'left_wires' if decoded) }},
    {%- elif plan.by_column %}

    {{ cdc.latest_by_column('changes', 'column_types' if decoded) }},
    {%- else %}

    {{ cdc.latest_by_row('changes', 'column_types' if decoded) }},
    {%- endif %}
    {%- if decoded %}

    texts as (

        {{ cdc.decoded_texts(sources) }}

    ),
    {%- endif %}

    typed as (

        select
            *
            {%- if plan.by_column and cdc.has_other_names(sources) %}
            except (_column_sequences),
            map(
                {%- for name, column in sources.items() %}
                {{ cdc.quoted(name) }}, _column_sequences[{{ cdc.quoted(column.get('source', name)) }}]{{ ',' if not loop.last }}
                {%- endfor %}
            ) as _column_sequences
            {%- endif %}
            {{- cdc.typed_columns(sources, feed_name, decoded) }}
        from {{ 'texts' if decoded else 'latest' }}

    ),

    final as (

        select
            {%- for name in columns %}
            {{ cdc.identifier(name) }},
            {%- endfor %}
            named_struct(
                'row_key', _row_key,
                'sequence', _sequence,
                {%- if plan.by_column %}
                'column_sequences', {{ cdc.older_than_row(
                    columns,
                    'transform(array(' ~ cdc.quoted_list(columns) ~ '), column_name -> coalesce('
                    ~ '_column_sequences[column_name], _base_sequence, ' ~ cdc.lowest_sequence() ~ '))', '_sequence'
                ) }},
                {%- else %}
                'column_sequences', _column_sequences,
                {%- endif %}
                'topic', _topic,
                'partition', _partition,
                'changed_at', _changed_at,
                'misfits', {{ cdc.misfits(sources, decoded, has_places=plan.by_column) }}
            ) as _change,
            _is_deleted,
            _is_rebuilt,
            _sequence,
            _delete_sequence,
            _base_sequence,
            _column_sequences
        from typed

    )

    select * from final
{%- endmacro %}
