{#- Schemas are called bronze, silver and gold in every target; LAKEHOUSE_SCHEMA_PREFIX sets a prefix. -#}
{% macro generate_schema_name(custom_schema_name, node) -%}
    {{ env_var('LAKEHOUSE_SCHEMA_PREFIX', '') }}{{ custom_schema_name or target.schema }}
{%- endmacro %}
