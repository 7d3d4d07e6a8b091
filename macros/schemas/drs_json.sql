{#- What DRS says of a table's columns in its JSON: `mysqlType`, column name to the bare name of its type.
    Surprise: neither length nor scale nor sign. A TIMESTAMP is text of seconds since 1970, `1624614713.201`. -#}

{% macro drs_json_columns(schemas) -%}
    {{ cdc._drs_columns(schemas, 'epoch_seconds') }}
{%- endmacro %}
