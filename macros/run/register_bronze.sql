{#- Makes known to Spark's catalogue what it lacks; dbt has listed silver already. -#}
{% macro register_bronze() -%}
    {%- set bronze = source('bronze', 'messages').schema -%}
    {%- set missing = [] -%}
    {%- for table in ['messages', 'feeds', 'topics', 'gaps', 'files'] if load_relation(source('bronze', table)) is none -%}
        {%- do missing.append(table) -%}
    {%- endfor -%}
    {%- if missing -%}
        {%- do run_query('create schema if not exists ' ~ bronze) -%}
    {%- endif -%}
    {%- set folder = cdc.absolute_path(var('bronze_path')) if missing -%}
    {%- if 'messages' in missing -%}
        {%- do cdc.refuse_missing_bronze(folder) -%}
    {%- endif -%}
    {%- for table in missing -%}
        {%- do run_query(
            'create table if not exists ' ~ bronze ~ '.' ~ table
            ~ ' using delta location ' ~ cdc.quoted(folder ~ '/' ~ table)
        ) -%}
    {%- endfor -%}
    {%- if load_relation(cdc.applied_versions()) is none -%}
        {%- do run_query('create schema if not exists ' ~ cdc.silver_schema()) -%}
        {%- do run_query(
            'create table if not exists ' ~ cdc.applied_versions() ~ ' (model string, bronze_version bigint, built_by string) using delta'
        ) -%}
    {%- endif -%}
{%- endmacro %}


{#- Spark would make an empty table where there is none. Its refusal cannot be caught: say beforehand what it means. -#}
{% macro refuse_missing_bronze(folder) -%}
    {%- do log(
        'First run here: registering the tables of ' ~ folder ~ '. If there are none, nothing has been loaded yet: run'
        ~ ' `python -m ingestion load` first.', info=true
    ) -%}
    {%- do run_query('describe delta.' ~ '`' ~ folder ~ '/messages`') -%}
{%- endmacro %}
