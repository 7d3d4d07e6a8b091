{#- What Aliyun DTS says of a table's columns: `fields`, each with a name and a number of its type. -#}

{% macro dts_avro_columns(schemas) -%}
    {{ cdc._dts_columns(schemas) }}
{%- endmacro %}
