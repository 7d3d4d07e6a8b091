{#- Bronze has another folder now: Spark's catalogue gets to know its tables there. Its files are moved, or copied, by whoever calls this; those
    in the old folder stay.

    dbt run-operation move_bronze -#}
{% macro move_bronze() -%}
    {%- set folder = cdc.absolute_path(var('bronze_path')) -%}
    {%- do run_query('describe delta.' ~ '`' ~ folder ~ '/messages`') -%}
    {%- for table in cdc.tables_of_bronze() -%}
        {%- do run_query('drop table if exists ' ~ source('bronze', table)) -%}
    {%- endfor -%}
    {%- do cdc.register_tables_of_bronze(cdc.tables_of_bronze(), folder) -%}
    {%- do log('Bronze is read from ' ~ folder ~ '.', info=true) -%}
{%- endmacro %}
