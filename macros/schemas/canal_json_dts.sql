{#- What DTS says of a table's columns: `mysqlType`, column name to the name of a type.
    Surprise: `sqlType`, beside it, is described with other codes than the messages have, and is no schema. -#}

{% macro canal_json_dts_columns(schemas) -%}
    {{ cdc._canal_bare_columns(schemas) }}
{%- endmacro %}
