{#- Removes the files that no version within the table's retention needs: 7 days, bronze 90 (delta.deletedFileRetentionDuration).

    dbt run-operation vacuum_tables -#}
{% macro vacuum_tables() -%}
    {#- Spark's own 10,000 tasks to list the folders of one table are for tables of thousands of partitions -#}
    {%- do run_query('set spark.sql.sources.parallelPartitionDiscovery.parallelism = 8') -%}
    {%- for table in delta_tables() -%}
        {%- do run_query('vacuum ' ~ table) -%}
        {%- do log('vacuumed ' ~ table, info=true) -%}
    {%- endfor -%}
    {%- do run_query('reset spark.sql.sources.parallelPartitionDiscovery.parallelism') -%}
{%- endmacro %}


{#- The tables of the lakehouse that dbt or the loader writes, as far as they are there: bronze's messages, silver, gold, states. -#}
{% macro delta_tables() -%}
    {%- set wanted = [source('bronze', 'messages')] -%}
    {%- for node in graph.nodes.values() if node.config.materialized in ('change_log', 'current_state') -%}
        {%- set table = api.Relation.create(schema=node.schema, identifier=node.alias) -%}
        {%- do wanted.append(table) -%}
        {%- if node.config.materialized == 'current_state' -%}
            {%- do wanted.append(state_of(table)) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- set tables = [] -%}
    {%- for table in wanted if load_relation(table) is not none -%}
        {%- do tables.append(table) -%}
    {%- endfor -%}
    {{ return(tables) }}
{%- endmacro %}
