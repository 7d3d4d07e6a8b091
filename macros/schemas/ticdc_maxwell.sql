{#- What TiCDC says of a table's columns: `def` of a statement's message. Rules: docs/formats/ticdc_maxwell.md -#}

{% macro ticdc_maxwell_columns(schemas) -%}
    {{ cdc._maxwell_columns(schemas) }}
{%- endmacro %}
