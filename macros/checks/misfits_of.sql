{#- The values of gold tables that do not fit their declared types, each with the coordinates of the message that carried it:
    NULL in gold, or inexact. `tables`: {gold table: relation}. -#}
{% macro misfits_of(tables) -%}
    with rows_of_gold as (

        {%- for name, relation in tables.items() %}
        select {{ cdc.quoted(name) }} as gold_table, _change from {{ relation }}
        {{- ' union all' if not loop.last }}
        {%- endfor %}

    )

    select
        gold_table,
        _change.row_key,
        misfit.column_name,
        misfit.value,
        misfit.wanted_type,
        misfit.topic,
        misfit.partition,
        -- a value that is older than its row has its own change
        coalesce(_change.column_sequences[misfit.column_name], _change.sequence).offset as offset
    from rows_of_gold
        lateral view explode(_change.misfits) as misfit
{%- endmacro %}


{#- on-run-end: silver.misfits, the view of them all, is made again where gold models came or went, or one was built. -#}
{% macro renew_misfits() -%}
    {%- set run = cdc.lakehouse_run() -%}
    {%- set models = cdc.gold_models() -%}
    {%- set mark = {'version': 0, 'built_by': local_md5(models | map(attribute='name') | sort | join(' '))} -%}
    {%- set built = run.gold_plans.values() | selectattr('mode', 'equalto', 'build') | list -%}
    {%- if built or run.applied.get('#misfits') != mark -%}
        {%- do cdc.keep_misfits(run.applied) -%}
        {%- do run.applied_now.update({'#misfits': mark}) -%}
    {%- endif -%}
{%- endmacro %}


{#- The view over the gold tables that there are; without any it goes. `applied`: the marks of models. -#}
{% macro keep_misfits(applied) -%}
    {%- set tables = {} -%}
    {#- a table of this name that no run of ours has made has no misfits: its model has failed so far -#}
    {%- for node in cdc.gold_models() if node.name in applied -%}
        {%- set relation = cdc.gold_relation(node) -%}
        {%- if relation -%}{%- do tables.update({node.name: relation}) -%}{%- endif -%}
    {%- endfor -%}
    {%- if tables -%}
        {%- do cdc.create_misfits(tables) -%}
    {%- else -%}
        {%- do run_query('drop view if exists ' ~ cdc.silver_relation('misfits')) -%}
    {%- endif -%}
{%- endmacro %}


{% macro create_misfits(tables) -%}
    {%- set view = cdc.text_of_view('create or replace view ' ~ cdc.silver_relation('misfits') ~ ' as ' ~ cdc.misfits_of(tables)) -%}
    {%- if view | length <= cdc.longest_view() -%}
        {%- do run_query(view) -%}
    {%- else -%}
        {%- do log(
            'silver.misfits is not renewed: ' ~ tables | length ~ ' gold tables are more than a view of the embedded target can'
            ~ ' name. The test every_value_fits_its_type lists the misfits of each.', info=true
        ) -%}
    {%- endif -%}
{%- endmacro %}
