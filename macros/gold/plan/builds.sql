{#- How far the model's table has come; none where it must be rebuilt, since silver was, or the model declares it otherwise. -#}
{% macro mark_of_gold_model(node) -%}
    {%- set mark = cdc.lakehouse_run().applied.get(node.name) -%}
    {{ return(mark if mark and cdc.build_of_mark(mark) == cdc.build_of_gold_model(node, mark.version) else none) }}
{%- endmacro %}


{#- A mark of a gold table ends with the rarer cases that the table may have, as far as its runs have met them: a run that is
    killed writes no mark, and the next one meets its changes again. Marks of earlier versions of this project list none. -#}
{% macro mark_gold_applied(plan) -%}
    {%- set cases = '' if plan.cases is none else ' cases: ' ~ (plan.cases | join(', ') or 'none') -%}
    {%- do cdc.mark_applied(plan.version, plan.built_by ~ cases) -%}
{%- endmacro %}


{#- What a gold table is made from: a build of silver, what its model declares, and the epochs of the changes up to a bronze
    version: where later messages show that these were others, the table is rebuilt. -#}
{% macro build_of_gold_model(node, version) -%}
    {%- set ranges = cdc.ranges_of_table(node.config.meta) | selectattr('version', '<=', version) | map(attribute='range') | sort -%}
    {%- set declared = cdc.declared_by_model(node) + [ranges] -%}
    {#- tables whose keys were compared as the messages write them, encoded ones as if they were plain, or numbers by what a
        double holds of them, are rebuilt -#}
    {%- set forms = cdc.forms_of_key(node.config.meta).values() | list -%}
    {%- if forms -%}
        {%- do declared.append('keys are values') -%}
    {%- endif -%}
    {%- if forms | selectattr('wire', 'defined') | list -%}
        {%- do declared.append('encoded keys are no plain ones') -%}
    {%- endif -%}
    {%- if forms | selectattr('type', 'in', ['float', 'double']) | list -%}
        {%- do declared.append('keys have all their digits') -%}
    {%- endif -%}
    {{ return(cdc.build_of_silver(node.config.meta) ~ ' ' ~ local_md5(tojson(declared, sort_keys=true)) ~ cdc.place_of_build(node)) }}
{%- endmacro %}


{#- What a build ends with where the model's table has another alias than the model's name, or another schema than that of gold: a
    model that moves to another table, and back, must not go on with one that lacks what came in between. -#}
{% macro place_of_build(node) -%}
    {%- set table = node.schema ~ '.' ~ node.alias -%}
    {{ return('' if table == cdc.gold_schema() ~ '.' ~ node.name else ' in ' ~ table) }}
{%- endmacro %}


{#- on-run-start: a table that a selected model makes is no longer that of another model which made it before, and which may come
    back to it. -#}
{% macro forget_earlier_builders() -%}
    {%- set builders = {} -%}
    {%- for node in graph.nodes.values()
        if node.unique_id in selected_resources and node.config.materialized in ['current_state', 'current_rows', 'history_table']
    -%}
        {%- do builders.update({node.schema ~ '.' ~ node.alias: node.name}) -%}
    {%- endfor -%}
    {%- set own_schema = cdc.gold_schema() ~ '.' -%}
    {%- set stale = [] -%}
    {%- for name, mark in cdc.lakehouse_run().applied.items() if not name.startswith('#') and not mark.built_by.startswith('view ') -%}
        {%- set places = cdc.build_of_mark(mark).split(' in ')[1:] -%}
        {%- if builders.get(places[0] if places else own_schema ~ name, name) != name -%}
            {%- do stale.append(name) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if stale -%}
        {%- do cdc.forget_marks(stale) -%}
    {%- endif -%}
{%- endmacro %}


{#- What a model declares that decides what is in its table; put together once a run, which asks several times. -#}
{% macro declared_by_model(node) -%}
    {%- set run = cdc.lakehouse_run() -%}
    {%- if node.name not in run.declared -%}
        {%- set meta = node.config.meta -%}
        {#- what `_change` consists of: tables that were built with less are rebuilt -#}
        {%- set declared = ['misfits have places', 'sequences have partitions'] -%}
        {%- for part in ['feed', 'source_catalog', 'database', 'schema', 'table', 'key'] -%}
            {%- do declared.append(meta[part]) -%}
        {%- endfor -%}
        {%- if meta.feed in cdc.feeds_of_both_orders() -%}
            {%- do declared.append('generations of a topic count for all rows') -%}
        {%- endif -%}
        {%- if meta.key | length > 1 -%}
            {%- do declared.append('keys are in the declared order') -%}
        {%- endif -%}
        {%- for name, column in cdc.column_sources(meta.columns).items() -%}
            {%- do declared.append([name, column.type | lower, column.get('source', name)]) -%}
        {%- endfor -%}
        {#- without this, added columns would stay as they are, once the model adds none -#}
        {%- do declared.append(meta.left_out if meta.new_columns == 'add' else none) -%}
        {%- if meta.large -%}
            {%- do declared.append('large') -%}
        {%- endif -%}
        {%- do run.declared.update({node.name: declared}) -%}
    {%- endif -%}
    {{ return(run.declared[node.name]) }}
{%- endmacro %}
