{#- Spark makes Java code for every statement, which for few records takes longer than all the rest. On the embedded
    target a lakehouse of less than 10,000 records is read without; at 100,000 changes gold would take 2.5 times as
    long so (DECISIONS.md). -#}
{% macro choose_code_generation() -%}
    {%- if target.name == 'embedded' and cdc.known_records() >= 10000 -%}
        {%- do cdc.generate_code(true) -%}
    {%- endif -%}
{%- endmacro %}


{% macro generate_code(yes) -%}
    {%- if target.name == 'embedded' -%}
        {%- do run_query("set spark.sql.codegen.factoryMode = " ~ ('FALLBACK' if yes else 'NO_CODEGEN')) -%}
    {%- endif -%}
{%- endmacro %}


{#- How many records bronze held when they were last counted: again with each of its versions, until they are many. -#}
{% macro known_records() -%}
    {%- set version = cdc.lakehouse_run().bronze_version -%}
    {%- set mark = cdc.lakehouse_run().applied.get('#records') -%}
    {%- set counted = mark.built_by | int if mark and mark.version <= version else none -%}
    {%- if counted is not none and (counted >= 10000 or mark.version == version) -%}
        {{ return(counted) }}
    {%- endif -%}
    {%- set records = run_query("select count(*) from " ~ source('bronze', 'messages')).rows[0][0] | int -%}
    {%- do cdc.remember('#records', version, records | string) -%}
    {{ return(records) }}
{%- endmacro %}
