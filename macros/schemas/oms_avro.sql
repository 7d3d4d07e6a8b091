{#- What OMS says of a table's columns: as Aliyun DTS. Surprise: a bigint is 246, decimal, in the full load. -#}

{% macro oms_avro_columns(schemas) -%}
    {{ cdc._dts_columns(schemas) }}
{%- endmacro %}
