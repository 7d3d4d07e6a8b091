{#- What a model says that ran no statement. dbt's noop_statement() says the same, and writes an empty file over the last script
    in target/run, which for hundreds of tables takes as long as all else here. -#}
{% macro nothing_new() -%}
    {#- dbt has no defaults for the last two that it could write to run_results.json -#}
    {%- do store_raw_result('main', message='nothing new', code=none, rows_affected=none) -%}
{%- endmacro %}
