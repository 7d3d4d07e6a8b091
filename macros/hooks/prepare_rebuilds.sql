{#- on-run-start: what this run rebuilds in silver. It is refused where bronze no longer holds its records. Without its mark, a
    build that is killed is done again, with what is made of all silver; gold follows by built_by.
    Here, for all at once: models that run at the same time would delete from one table. -#}
{% macro prepare_rebuilds() -%}
    {%- set run = cdc.lakehouse_run() -%}
    {%- set rebuilt = [] -%}
    {%- for node in graph.nodes.values()
        if node.unique_id in selected_resources and node.config.materialized == 'change_log' and node.name.endswith('_changes')
    -%}
        {%- set silver = adapter.get_relation(none, node.schema, node.alias) -%}
        {%- set refreshes = flags.FULL_REFRESH if node.config.full_refresh is none else node.config.full_refresh -%}
        {%- if silver is not none and (refreshes or node.name not in run.applied) -%}
            {%- do cdc.refuse_lost_records(silver) -%}
        {%- endif -%}
        {%- if node.name in run.applied and (refreshes or silver is none) -%}
            {%- do rebuilt.append(node.name) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if rebuilt -%}
        {%- do cdc.forget_marks(rebuilt + cdc.made_of_silver()) -%}
    {%- endif -%}
{%- endmacro %}
