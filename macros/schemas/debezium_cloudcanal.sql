{#- What CloudCanal's Debezium output says of a table's columns: the `schema` block, read as Debezium's. Surprise: it
    may be null, and then nothing is said. -#}

{% macro debezium_cloudcanal_columns(schemas) -%}
    {{ debezium_json_columns(schemas) }}
{%- endmacro %}
