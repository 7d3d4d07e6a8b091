{#- What DRS says of a table's columns in its Avro, if `mysqlType` is there as in its JSON: inferred, as no document
    prints the schema. Surprise: neither length nor scale nor sign. -#}

{% macro drs_avro_columns(schemas) -%}
    {{ cdc._drs_columns(schemas, 'epoch_seconds') }}
{%- endmacro %}
