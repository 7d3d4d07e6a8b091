{#- The tables of the lakehouse that dbt or the loader writes, as far as they are there: bronze, silver, gold, states,
    histories that are tables. -#}
{% macro delta_tables() -%}
    {%- set wanted = [] -%}
    {%- for node in graph.sources.values() if node.source_name == 'bronze' -%}
        {%- do wanted.append(source('bronze', node.name)) -%}
    {%- endfor -%}
    {%- do wanted.extend([cdc.applied_versions(), cdc.silver_relation('findings')]) -%}
    {%- for node in graph.nodes.values() if node.config.materialized in ['change_log', 'kept_table', 'history_table'] -%}
        {%- do wanted.append(api.Relation.create(schema=node.schema, identifier=node.alias)) -%}
    {%- endfor -%}
    {%- for node in cdc.gold_models() -%}
        {%- set table = api.Relation.create(schema=node.schema, identifier=node.alias) -%}
        {%- do wanted.extend([table, cdc.state_of(table)]) -%}
    {%- endfor -%}
    {%- set tables = [] -%}
    {%- for table in wanted if load_relation(table) is not none -%}
        {%- do tables.append(table) -%}
    {%- endfor -%}
    {{ return(tables) }}
{%- endmacro %}
