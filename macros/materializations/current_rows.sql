{#- gold.<table> of a table without a key: rebuilt from its counts in state.<table> whenever there are new changes.
    A run that is killed between the two statements is repaired by the next one. docs/gold/declare.md explains it. -#}

{% materialization current_rows, adapter='spark' %}
    {%- set plan = cdc.gold_plan() -%}
    {%- set state = cdc.state_relation() -%}

    {%- call cdc.with_hooks() -%}
        {%- if plan.mode == 'nothing' -%}
            {%- do cdc.nothing_new() -%}
        {%- else -%}
            {%- do cdc.refuse_without_silver(plan) -%}
            {%- do cdc.drop_other_type('table') -%}
            {%- do run_query('create schema if not exists ' ~ state.schema) -%}
            {%- set counts = cdc.create_counts(state, plan) -%}
            {%- set rows_of_counts = cdc.create_gold_table(compiled_code, model.config.meta.columns) -%}
            {%- call statement('counts') -%}{{ counts }}{%- endcall -%}
            {%- call statement('main') -%}{{ rows_of_counts }}{%- endcall -%}
            {{ write(counts ~ '\n;\n\n' ~ rows_of_counts) }}
            {%- do persist_docs(this, model) -%}
            {%- do cdc.comment_columns(model.config.meta) -%}
        {%- endif -%}
    {%- endcall -%}
    {%- do cdc.mark_applied(plan.version, plan.built_by) -%}

    {{ return({'relations': [this]}) }}
{% endmaterialization %}


{% macro create_counts(state, plan) -%}
create or replace table {{ state }}
using delta
as
{{ cdc.counts_of_rows(plan) }}
{%- endmacro %}
