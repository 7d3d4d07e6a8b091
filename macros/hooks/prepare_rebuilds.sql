{#- on-run-start: what this run builds from nothing in silver. It is refused where bronze no longer holds the records of a table that is
    there. Without its mark, a build that is killed is done again, with what is made of all silver; gold follows by built_by.
    Here, for all at once: models that run at the same time would delete from one table. -#}
{% macro prepare_rebuilds() -%}
    {%- set run = cdc.lakehouse_run() -%}
    {%- set built = [] -%}
    {%- for node in graph.nodes.values()
        if node.unique_id in selected_resources and node.config.materialized == 'change_log' and node.name.endswith('_changes')
    -%}
        {%- set silver = adapter.get_relation(none, node.schema, node.alias) -%}
        {%- set refreshes = flags.FULL_REFRESH if node.config.full_refresh is none else node.config.full_refresh -%}
        {%- if silver is not none and (refreshes or node.name not in run.applied) -%}
            {%- do cdc.refuse_lost_records(silver) -%}
        {%- endif -%}
        {%- if refreshes or silver is none or node.name not in run.applied -%}
            {%- do built.append(node.name) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if built -%}
        {%- do cdc.remember_absent_feeds(cdc.feeds_landed_for(built)) -%}
    {%- endif -%}
    {%- set stale = [] -%}
    {%- if built | select('in', run.applied) | list or built and cdc.have_read_all_of_bronze(cdc.made_of_silver()) -%}
        {%- do stale.extend(built + cdc.made_of_silver()) -%}
    {%- endif -%}
    {#- which reads all records of its feeds -#}
    {%- for feed, settings in cdc.feeds().items() if settings.format ~ '_changes' in built and '#forgotten ' ~ feed in run.applied -%}
        {%- do stale.append('#forgotten ' ~ feed) -%}
    {%- endfor -%}
    {%- if stale -%}
        {%- do cdc.forget_marks(stale) -%}
    {%- endif -%}
{%- endmacro %}


{#- Has one of the models come to the version that this run reads? It would then pass over a table that is first built now: all rows of it
    are stamped with this version. -#}
{% macro have_read_all_of_bronze(models) -%}
    {%- set run = cdc.lakehouse_run() -%}
    {%- for name in models if run.applied.get(name, {'version': -1}).version >= run.bronze_version -%}{{ return(true) }}{%- endfor -%}
    {{ return(false) }}
{%- endmacro %}
