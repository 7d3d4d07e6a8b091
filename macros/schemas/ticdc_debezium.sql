{#- What TiCDC's Debezium output says of a table's columns: the `schema` block, read as Debezium's. Surprise: a DECIMAL
    is a double there, binary columns are strings in base64, and BIGINT UNSIGNED is a plain int64. -#}

{% macro ticdc_debezium_columns(schemas) -%}
    {{ cdc.debezium_json_columns(schemas) }}
{%- endmacro %}
