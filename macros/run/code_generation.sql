{#- Spark makes Java code for every statement, which for few records takes longer than all the rest. On the embedded
    target a lakehouse of less than 10,000 records is read without; at 100,000 changes gold would take 2.5 times as
    long so (DECISIONS.md). -#}
{% macro choose_code_generation() -%}
    {%- if target.name == 'embedded' and cdc.known_records().count >= 10000 -%}
        {%- do cdc.generate_code(true) -%}
    {%- endif -%}
{%- endmacro %}


{% macro generate_code(yes) -%}
    {%- if target.name == 'embedded' -%}
        {%- do run_query("set spark.sql.codegen.factoryMode = " ~ ('FALLBACK' if yes else 'NO_CODEGEN')) -%}
    {%- endif -%}
{%- endmacro %}


{#- How many records bronze had when they were last counted, as {count, version}: 0 with version -1 where they never were. -#}
{% macro known_records() -%}
    {%- set mark = cdc.lakehouse_run().applied.get('#records') -%}
    {%- if not mark or mark.version > cdc.lakehouse_run().bronze_version -%}
        {{ return({'count': 0, 'version': -1}) }}
    {%- endif -%}
    {{ return({'count': mark.built_by | int, 'version': mark.version}) }}
{%- endmacro %}


{#- Counts the records of a new version of bronze, until they are many. The question about unread feeds counts the new ones, where
    it was asked and reaches back far enough. -#}
{% macro count_records() -%}
    {%- set run = cdc.lakehouse_run() -%}
    {%- set known = cdc.known_records() -%}
    {%- if target.name == 'embedded' and known.count < 10000 and known.version < run.bronze_version -%}
        {%- set count = known.count + run.new_records if run.new_records is not none
            else run_query("select count(*) from " ~ source('bronze', 'messages')).rows[0][0] | int -%}
        {%- do cdc.remember('#records', run.bronze_version, count | string) -%}
        {%- do cdc.choose_code_generation() -%}
    {%- endif -%}
{%- endmacro %}
