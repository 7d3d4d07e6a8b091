{#- The declared columns, made from the texts of `_image`, and of `_decoded` for the columns that `decoded` lists. -#}
{% macro typed_columns(sources, feed_name, decoded) -%}
    {%- set encoded = cdc.decoded_columns(feed_name, sources) -%}
    {%- for name, column in sources.items() -%}
    {%- set source = column.get('source', name) -%}
            ,
            {{ cdc.typed(
                cdc.text_of_column(source, decoded), column.type, cdc.gold_time_zone(feed_name), source in encoded
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


{#- The names of a model's columns in the messages, each once. -#}
{% macro sources_of(sources) -%}
    {%- set names = [] -%}
    {%- for name, column in sources.items() if column.get('source', name) not in names -%}
        {%- do names.append(column.get('source', name)) -%}
    {%- endfor -%}
    {{ return(names) }}
{%- endmacro %}
