{#- Feeds of which bronze has records, and that dbt_project.yml does not have. -#}

{#- Writes down, of these feeds those that dbt_project.yml does not have: silver will lack records of them that no later run would take.
    refuse_forgotten_feeds asks for `reparse` once such a feed is there. At once, as the run may be killed after a table has gone on. -#}
{% macro remember_absent_feeds(names) -%}
    {%- set run = cdc.lakehouse_run() -%}
    {%- for feed in names | unique if feed not in cdc.feeds() and '#forgotten ' ~ feed not in run.applied -%}
        {%- do cdc.write_forgotten(feed) -%}
        {%- do run.applied.update({'#forgotten ' ~ feed: {'version': 0, 'built_by': ''}}) -%}
        {%- do run.applied_before.update({'#forgotten ' ~ feed: {'version': 0, 'built_by': ''}}) -%}
    {%- endfor -%}
{%- endmacro %}


{#- Absent feeds with records that this run passes over: a table of their format goes on to newer ones. A feed whose format was not noted may
    be of any. -#}
{% macro feeds_passed_over() -%}
    {%- set run = cdc.lakehouse_run() -%}
    {%- set absent = run.unread_feeds | list | reject('in', cdc.feeds() | list) | list -%}
    {%- set tables = cdc.selected_change_tables() -%}
    {%- set names = [] -%}
    {%- if absent and tables -%}
        {%- set formats = cdc.formats_of_landed_feeds() -%}
        {%- for feed in absent -%}
            {%- for node in tables if formats.get(feed, node.name) == node.name and node.name in run.applied -%}
                {%- if run.applied[node.name].version < run.unread_feeds[feed] -%}
                    {%- do names.append(feed) -%}
                {%- endif -%}
            {%- endfor -%}
        {%- endfor -%}
    {%- endif -%}
    {{ return(names) }}
{%- endmacro %}


{#- Feeds of which records have landed for these tables of silver. -#}
{% macro feeds_landed_for(tables) -%}
    {%- set names = [] -%}
    {%- for feed, table in cdc.formats_of_landed_feeds().items() if table in tables -%}
        {%- do names.append(feed) -%}
    {%- endfor -%}
    {{ return(names) }}
{%- endmacro %}


{#- The table of silver of each feed of which records have landed, by its format then. -#}
{% macro formats_of_landed_feeds() -%}
    {%- set tables = {} -%}
    {%- for row in cdc.landed_feeds() if row[1] -%}
        {%- do tables.update({row[0]: fromjson(row[1]).format ~ '_changes'}) -%}
    {%- endfor -%}
    {{ return(tables) }}
{%- endmacro %}


{#- The feeds of which records have landed, each with the settings that it had then, as JSON. Asked once, and not before the run knows
    up to which version it reads bronze: its feeds are noted before their records land. -#}
{% macro landed_feeds() -%}
    {%- set known = cdc.lakehouse_run().known -%}
    {%- if 'landed_feeds' not in known -%}
        {%- do known.update({'landed_feeds': run_query(
            'select feed, max_by(settings, recorded_at) from ' ~ source('bronze', 'feeds') ~ ' group by feed'
        ).rows}) -%}
    {%- endif -%}
    {{ return(known.landed_feeds) }}
{%- endmacro %}


{#- The models of formats that this run reads bronze into. -#}
{% macro selected_change_tables() -%}
    {%- set nodes = [] -%}
    {%- for node in graph.nodes.values()
        if node.unique_id in selected_resources and node.config.materialized == 'change_log' and node.name.endswith('_changes')
    -%}
        {%- do nodes.append(node) -%}
    {%- endfor -%}
    {{ return(nodes) }}
{%- endmacro %}
