{#- SharePlex JSON says nothing of its columns' types. -#}

{% macro shareplex_quest_columns(schemas) -%}
    {{ cdc.oms_shareplex_columns(schemas) }}
{%- endmacro %}
