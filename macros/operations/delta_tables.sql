{#- The tables of the lakehouse that dbt or the loader writes, as far as they are there: bronze's messages, silver, gold, states. -#}
{% macro delta_tables() -%}
    {%- set wanted = [source('bronze', 'messages')] -%}
    {%- for node in graph.nodes.values() if node.config.materialized == 'change_log' -%}
        {%- do wanted.append(api.Relation.create(schema=node.schema, identifier=node.alias)) -%}
    {%- endfor -%}
    {%- for node in gold_models() -%}
        {%- set table = api.Relation.create(schema=node.schema, identifier=node.alias) -%}
        {%- do wanted.extend([table, state_of(table)]) -%}
    {%- endfor -%}
    {%- set tables = [] -%}
    {%- for table in wanted if load_relation(table) is not none -%}
        {%- do tables.append(table) -%}
    {%- endfor -%}
    {{ return(tables) }}
{%- endmacro %}
