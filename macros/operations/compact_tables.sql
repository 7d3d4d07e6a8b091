{#- Writes the small files of many runs together, table by table; no row changes but those of silver.order_marks, which are
    merged, and those of the states, of which one per key is left. Files of 128 MB and more stay.

    dbt run-operation compact_tables -#}
{% macro compact_tables() -%}
    {%- do cdc.merge_order_marks() -%}
    {%- do cdc.fold_states() -%}
    {%- for setting in ['minFileSize', 'maxFileSize'] -%}
        {%- do run_query('set spark.databricks.delta.optimize.' ~ setting ~ ' = 134217728') -%}
    {%- endfor -%}
    {%- for table in cdc.delta_tables() -%}
        {%- do run_query('optimize ' ~ table) -%}
        {%- do log('compacted ' ~ table, info=true) -%}
    {%- endfor -%}
    {%- for setting in ['minFileSize', 'maxFileSize'] -%}
        {%- do run_query('reset spark.databricks.delta.optimize.' ~ setting) -%}
    {%- endfor -%}
{%- endmacro %}
