{#- Feeds of which bronze has records, whether dbt_project.yml has them or not. -#}

{#- The feeds of which records have landed, each with the settings that it had then, as JSON. -#}
{% macro landed_feeds() -%}
    {{ return(run_query(
        'select feed, max_by(settings, recorded_at) from ' ~ source('bronze', 'feeds') ~ ' group by feed'
    )) }}
{%- endmacro %}


{#- The feeds whose records landed in the formats of these models, whether dbt_project.yml has them or not. -#}
{% macro feeds_landed_for(models) -%}
    {%- set names = [] -%}
    {%- for row in cdc.landed_feeds() if (fromjson(row[1] or '{}') or {}).get('format', '') ~ '_changes' in models -%}
        {%- do names.append(row[0]) -%}
    {%- endfor -%}
    {{ return(names) }}
{%- endmacro %}


{#- Does the run read bronze into a table of silver? -#}
{% macro reads_bronze() -%}
    {%- for id in selected_resources if graph.nodes.get(id, {}).get('config', {}).get('materialized') == 'change_log' -%}
        {%- if graph.nodes[id].name.endswith('_changes') -%}{{ return(true) }}{%- endif -%}
    {%- endfor -%}
    {{ return(false) }}
{%- endmacro %}


{#- Of these, the feeds that dbt_project.yml does not have: this run passes over their records, or rebuilds a table without their rows,
    and later ones would not come back to them. refuse_forgotten_feeds asks for `reparse` once such a feed is there. -#}
{% macro remember_absent_feeds(names) -%}
    {%- for feed in names if feed not in cdc.feeds() -%}
        {%- do cdc.remember('#forgotten ' ~ feed, 0, '') -%}
    {%- endfor -%}
{%- endmacro %}
