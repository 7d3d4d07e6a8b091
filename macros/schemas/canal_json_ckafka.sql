{#- What CKafka says of a table's columns: nothing, `mysqlType` is null.
    Should it have types one day, they are read as names. -#}

{% macro canal_json_ckafka_columns(schemas) -%}
    {{ cdc._canal_bare_columns(schemas) }}
{%- endmacro %}
