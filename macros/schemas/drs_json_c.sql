{#- What DRS says of a table's columns in its JSON-C: `mysqlType`, column name to the bare name of its type.
    Surprise: neither length nor scale nor sign. A TIMESTAMP is a wall clock in a zone that nothing shows. -#}

{% macro drs_json_c_columns(schemas) -%}
    {{ cdc._drs_columns(schemas, 'zoned_wall_clock') }}
{%- endmacro %}
