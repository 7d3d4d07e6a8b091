{#- What CloudCanal's canal output says of a table's columns: `mysqlType`, the same object as `dbValType` of
    cloudcanal_json. Surprise: nothing shows that it has Canal's renderings (an enum's number, bytes as characters). -#}

{% macro canal_json_cloudcanal_columns(schemas) -%}
    {{ cdc.cloudcanal_json_columns(schemas) }}
{%- endmacro %}
