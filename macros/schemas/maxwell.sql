{#- What Maxwell says of a table's columns: `def` of a statement's message. Rules: docs/formats/maxwell.md -#}

{% macro maxwell_columns(schemas) -%}
    {{ cdc._maxwell_columns(schemas) }}
{%- endmacro %}
