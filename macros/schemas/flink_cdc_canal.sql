{#- What Flink says of a table's columns: nothing, no message has types.
    Should one have a `mysqlType`, its types are read as names. -#}

{% macro flink_cdc_canal_columns(schemas) -%}
    {{ cdc._canal_bare_columns(schemas) }}
{%- endmacro %}
