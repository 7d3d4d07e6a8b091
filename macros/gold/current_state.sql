{#- The body of a gold model: what the new changes say of each key, typed; one row per key. The materialization
    of the same name merges it into the table; run alone, over all changes, it is the table's definition.

    current_state(
        feed='shop_mariadb', database='shop', table='orders',   where the changes come from (schema and catalog where there is one)
        key=['id'],                                             the key columns, as silver has them
        columns={'id': 'bigint', 'total': 'decimal(12,2)'},     name: type, or name: {'type': ..., 'source': 'wire name'}
        left_out=['note'],                                      columns that the source has and gold should not
        new_columns='add'                                       gold has columns that are not named as soon as they come; else 'report'
    )
-#}
{% macro current_state(
    feed, table, key, columns, database=none, schema=none, catalog=none, left_out=[], new_columns='report'
) -%}
    {#- all that the model declares is known and checked once dbt has parsed it, which it does before it knows what is new -#}
    {%- if not execute -%}
    {%- do cdc.check_gold_model(feed, table, key, columns) -%}
    {%- do cdc.check_new_columns(new_columns) -%}
    {%- do cdc.check_patterns({'database': database, 'schema': schema, 'table': table}, columns, key) -%}
    {{- config(meta={
        'feed': feed, 'silver': cdc.feed_settings(feed).format ~ '_changes', 'source_catalog': catalog, 'database': database,
        'schema': schema, 'table': table, 'key': key, 'columns': columns,
        'left_out': left_out, 'new_columns': new_columns
    }) -}}
    {%- do ref(cdc.feed_settings(feed).format ~ '_changes') -%}
    {%- do ref('cdc_schemas') -%}
    {%- do ref('cdc_sequence_ranges') -%}
    {%- elif cdc.gold_plan().mode == 'nothing' -%}
    -- nothing is new in silver; `dbt compile` shows the whole statement
    {%- else -%}
    {{- cdc.latest_of_table(feed, cdc.gold_plan().columns) -}}
    {%- endif -%}
{%- endmacro %}


{% macro latest_of_table(feed_name, columns) -%}
    {%- set plan = cdc.gold_plan() -%}
    {%- set sources = cdc.column_sources(columns) -%}
    {%- set encodings = cdc.encodings_of_columns(feed_name, sources) -%}
    {%- set decoded = encodings != [] -%}
    with
    {%- if plan.rebuilds_moved %}

    moved_keys as (

        {{ cdc.moved_keys() }}

    ),
    {%- endif %}
    {%- if cdc.has_voided_changes(plan) %}

    changes_of_table as (

        {{ cdc.changes_of_table(plan) }}

    ),

    changes as (

        {{ cdc.standing_changes() if plan.version is not none else 'select * from changes_of_table' }}

    ),
    {%- else %}

    changes as (

        {{ cdc.changes_of_table(plan) }}

    ),
    {%- endif %}
    {%- if plan.moves %}

    {{ cdc.moved_values(plan, cdc.state_relation() if plan.version is not none) }}
    {%- endif %}
    {%- if decoded %}

    column_types as (

        {{ cdc.wires_of_schemas() }}

    ),
    {%- endif %}
    {%- if plan.by_column %}

    {{ cdc.latest_by_column('moved' if plan.moves else 'changes', decoded) }}
    {%- else %}

    {{ cdc.latest_by_row(decoded) }}
    {%- endif %}
    {%- if decoded %}

    texts as (

        {{ cdc.canonical_texts(encodings) }}

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
            {{- cdc.typed_columns(sources, feed_name) }}
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
                    'transform(array(' ~ cdc.quoted_list(columns) ~ '), column_name -> coalesce('
                    ~ '_column_sequences[column_name], _base_sequence, ' ~ cdc.never() ~ '))', '_sequence'
                ) }},
                {%- else %}
                'column_sequences', _column_sequences,
                {%- endif %}
                'topic', _topic,
                'partition', _partition,
                'changed_at', _changed_at,
                'misfits', {{ cdc.misfits(sources, has_places=plan.by_column) }}
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


{#- The declared columns, made from the texts of `_image`. -#}
{% macro typed_columns(sources, feed_name) -%}
    {%- set decoded = cdc.decoded_columns(feed_name, sources) -%}
    {%- for name, column in sources.items() -%}
            ,
            {{ cdc.typed(
                '_image[' ~ cdc.quoted(column.get('source', name)) ~ ']', column.type, cdc.gold_time_zone(feed_name), name in decoded
            ) }} as {{ cdc.identifier(name) }}
    {%- endfor -%}
{%- endmacro %}


{#- The columns of a model, each as {type, source}; `source` only where the messages name it otherwise. -#}
{% macro column_sources(columns) -%}
    {%- set sources = {} -%}
    {%- for name, column in columns.items() -%}
        {%- do sources.update({name: column if column is mapping else {'type': column}}) -%}
    {%- endfor -%}
    {{ return(sources) }}
{%- endmacro %}


{% macro has_other_names(sources) -%}
    {%- for name, column in sources.items() if column.get('source', name) != name -%}
        {{ return(true) }}
    {%- endfor -%}
    {{ return(false) }}
{%- endmacro %}


{% macro check_gold_model(feed_name, table, key, columns) -%}
    {%- do cdc.check_gold_source(feed_name, table) -%}
    {%- do cdc.check_gold_columns(columns) -%}
    {%- if not key -%}
        {{ exceptions.raise_compiler_error(
            "Gold model '" ~ model.name ~ "' names no key: key=['id']. Of a table that has none, current_rows makes a gold table."
        ) }}
    {%- endif -%}
    {%- if key is string or key is not sequence -%}
        {{ exceptions.raise_compiler_error(
            "Gold model '" ~ model.name ~ "': its key is " ~ key ~ ". It takes a list of columns: key=['id']."
        ) }}
    {%- endif -%}
    {%- for column in key if column not in columns -%}
        {{ exceptions.raise_compiler_error(
            "Gold model '" ~ model.name ~ "': the key column '" ~ column ~ "' is not among its columns."
        ) }}
    {%- endfor -%}
{%- endmacro %}


{% macro check_gold_source(feed_name, table) -%}
    {%- if not feed_name or not table -%}
        {{ exceptions.raise_compiler_error(
            "Gold model '" ~ model.name ~ "' names no " ~ ('table' if feed_name else 'feed')
            ~ ": feed='crm', one of vars.feeds in dbt_project.yml, and table='orders', as the messages call it."
        ) }}
    {%- endif -%}
    {%- do cdc.feed_settings(feed_name) -%}
{%- endmacro %}


{% macro check_gold_columns(columns) -%}
    {%- if not columns or columns is not mapping -%}
        {{ exceptions.raise_compiler_error(
            "Gold model '" ~ model.name ~ "' names no columns with their types: columns={'id': 'bigint', 'name': 'string'}."
        ) }}
    {%- endif -%}
    {%- set own = cdc.own_names() -%}
    {%- for column in columns if column | lower in own -%}
        {{ exceptions.raise_compiler_error(
            "Gold model '" ~ model.name ~ "': the name '" ~ column ~ "' is gold's own; give the column another name"
            ~ " with {'type': ..., 'source': '" ~ column ~ "'}."
        ) }}
    {%- endfor -%}
{%- endmacro %}


{#- Names that the statement uses itself. -#}
{% macro own_names() -%}
    {{ return([
        '_change', '_row_key', '_is_deleted', '_is_rebuilt', '_sequence', '_delete_sequence', '_base_sequence', '_column_sequences',
        '_topic', '_partition', '_changed_at', '_image', '_wires', '_places', '_copies', '_newest', '_copy_number'
    ]) }}
{%- endmacro %}
