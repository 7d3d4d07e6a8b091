{#- Schemas are called bronze, silver and gold in every target; LAKEHOUSE_SCHEMA_PREFIX sets a prefix. A project that installs this
    one names all schemas itself. -#}
{% macro generate_schema_name(custom_schema_name, node) -%}
    {%- set installing = context.get(project_name, {}) -%}
    {%- if project_name == 'cdc' -%}
    {{ env_var('LAKEHOUSE_SCHEMA_PREFIX', '') }}{{ custom_schema_name or target.schema }}
    {%- elif installing.generate_schema_name -%}
    {{ installing.generate_schema_name(custom_schema_name, node) }}
    {%- else -%}
    {{ default__generate_schema_name(custom_schema_name, node) }}
    {%- endif -%}
{%- endmacro %}
