{#- Spark makes Java code for every statement, which for few records takes longer than all the rest. On the embedded
    target a lakehouse of less than 10,000 records is read without: `make run` takes 164 s instead of 188 s, and at
    100,000 changes gold would take 2.5 times as long (DECISIONS.md). -#}
{% macro choose_code_generation() -%}
    {%- if target.name == 'embedded' -%}
        {%- set records = run_query("select count(*) from " ~ source('bronze', 'messages')).rows[0][0] | int -%}
        {%- do run_query("set spark.sql.codegen.factoryMode = " ~ ('NO_CODEGEN' if records < 10000 else 'FALLBACK')) -%}
    {%- endif -%}
{%- endmacro %}
