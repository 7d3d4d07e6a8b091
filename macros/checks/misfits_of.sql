{#- The values of gold tables that do not fit their declared types, each with the place of the message that brought it:
    NULL in gold, or inexact. `tables`: {gold table: relation}. -#}
{% macro misfits_of(tables) -%}
    with rows_of_gold as (

        {%- for name, relation in tables.items() %}
        select {{ quoted(name) }} as gold_table, _change from {{ relation }}
        {{- ' union all' if not loop.last }}
        {%- endfor %}

    )

    select
        gold_table,
        _change.row_key,
        misfit.column_name,
        misfit.value,
        misfit.wanted_type,
        _change.topic,
        _change.partition,
        -- a value that is older than its row has its own change
        coalesce(_change.column_sequences[misfit.column_name], _change.sequence).offset as offset
    from rows_of_gold
        lateral view explode(_change.misfits) as misfit
{%- endmacro %}


{#- on-run-end: silver.misfits, the view of them all, is made again where other gold tables are there than before. -#}
{% macro renew_misfits() -%}
    {%- set run = lakehouse_run() -%}
    {%- set tables = {} -%}
    {%- for node in gold_models() -%}
        {%- set relation = gold_relation(node.name) -%}
        {%- if relation -%}{%- do tables.update({node.name: relation}) -%}{%- endif -%}
    {%- endfor -%}
    {%- set view = 'create or replace view ' ~ generate_schema_name('silver', none) ~ '.misfits as ' ~ misfits_of(tables) -%}
    {%- set mark = {'version': 0, 'built_by': local_md5(view)} -%}
    {%- if tables and run.applied.get('misfits') != mark -%}
        {%- if view | length <= longest_view() -%}
            {%- do run_query(view) -%}
        {%- else -%}
            {%- do log(
                'silver.misfits is not renewed: ' ~ tables | length ~ ' gold tables are more than a view of the embedded target can'
                ~ ' name. The test every_value_fits_its_type lists the misfits of each.', info=true
            ) -%}
        {%- endif -%}
        {%- do run.applied_now.update({'misfits': mark}) -%}
    {%- endif -%}
{%- endmacro %}
