{#- The body of a gold model: what the new changes say of each key, typed; one row per key. The materialization
    of the same name merges it into the table; run alone, over all changes, it is the table's definition.

    current_state(
        feed='shop_mariadb', database='shop', table='orders',   where the changes come from (schema and catalog where there is one)
        key=['id'],                                             the key columns, as silver has them
        columns={'id': 'bigint', 'total': 'decimal(12,2)'},     name: type, or name: {'type': ..., 'source': 'name in the messages'};
                                                                without it those to which the model's YAML gives a data_type
        left_out=['note'],                                      columns that the source has and gold should not
        new_columns='add',                                      gold has undeclared columns as soon as they come; else 'report'
        large=true                                              of more than some 100 MB: a merge writes deletion vectors instead of files
    )
-#}
{% macro current_state(
    feed, table, key, columns=none, database=none, schema=none, catalog=none, left_out=[], new_columns='report', large=false
) -%}
    {#- all that the model declares is known and checked once dbt has parsed it, which it does before it knows what is new -#}
    {%- if not execute -%}
    {%- do cdc.check_gold_source(feed, table) -%}
    {%- do cdc.check_new_columns(new_columns) -%}
    {%- do cdc.check_large(large) -%}
    {%- if columns is not none -%}
        {%- do cdc.check_gold_model(feed, table, key, columns) -%}
        {%- do cdc.check_patterns({'database': database, 'schema': schema, 'table': table}, columns, key) -%}
    {%- endif -%}
    {{- cdc.declare_gold_table('current_state', {
        'feed': feed, 'source_catalog': catalog, 'database': database, 'schema': schema, 'table': table, 'key': key,
        'columns': columns, 'left_out': left_out, 'new_columns': new_columns, 'large': large
    }) -}}
    {%- else -%}
    {%- if cdc.gold_plan().mode == 'nothing' -%}
    -- nothing is new in silver; `dbt compile` shows the whole statement
    {%- else -%}
    {%- if columns is none -%}
        {%- do cdc.check_columns_in_yaml() -%}
    {%- endif -%}
    {{- cdc.latest_of_table(feed, cdc.gold_plan()) -}}
    {%- endif -%}
    {%- endif -%}
{%- endmacro %}


{#- Columns that are declared in YAML are checked when the model's table changes: while dbt parses its call, it does not know them. -#}
{% macro check_columns_in_yaml() -%}
    {%- do cdc.complete_declaration(model) -%}
    {%- set meta = model.config.meta -%}
    {%- if meta.key != [] -%}
        {%- do cdc.check_gold_model(meta.feed, meta.table, meta.key, meta.columns) -%}
    {%- else -%}
        {%- do cdc.check_gold_columns(meta.columns) -%}
    {%- endif -%}
    {%- do cdc.check_patterns(meta, meta.columns, meta.key) -%}
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


{% macro check_large(large) -%}
    {%- if large is not boolean -%}
        {{ exceptions.raise_compiler_error("Gold model '" ~ model.name ~ "': large is " ~ large ~ ": it is true or false (without quotes).") }}
    {%- endif -%}
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
            "Gold model '" ~ model.name ~ "' names no columns with their types: columns={'id': 'bigint', 'name': 'string'}, or the data_type of"
            ~ " each in its YAML."
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
