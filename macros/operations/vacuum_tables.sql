{#- Removes the files that no version within the table's retention needs: 7 days, bronze 90 (delta.deletedFileRetentionDuration).

    dbt run-operation vacuum_tables -#}
{% macro vacuum_tables() -%}
    {#- Spark's own 10,000 tasks to list the folders of one table are for tables of thousands of partitions -#}
    {%- do run_query('set spark.sql.sources.parallelPartitionDiscovery.parallelism = 8') -%}
    {%- for table in cdc.delta_tables() -%}
        {%- do run_query('vacuum ' ~ table) -%}
        {%- do log('vacuumed ' ~ table, info=true) -%}
    {%- endfor -%}
    {%- do run_query('reset spark.sql.sources.parallelPartitionDiscovery.parallelism') -%}
{%- endmacro %}
