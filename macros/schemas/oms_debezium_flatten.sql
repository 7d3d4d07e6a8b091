{#- What OMS says of a table's columns in DebeziumFlatten: nothing in the printed messages, and no more than
    oms_debezium where a block comes. -#}

{% macro oms_debezium_flatten_columns(schemas) -%}
    {{ cdc.oms_debezium_columns(schemas) }}
{%- endmacro %}
