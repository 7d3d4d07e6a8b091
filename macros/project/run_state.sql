{#- What a run knows and keeps for the next: how far each model has come, and what need not be asked again. -#}

{#- Begins what a run knows. Its keys:
    bronze_version, oldest_version   the newest version of bronze that the run reads, and one that the log still has
    applied        {name: {version, built_by}}: the marks of models, and with a # in front of other things that are kept
    applied_before, applied_now      the same as they were when the run began, and those that finish_run writes
    unread_feeds   {feed: the version of its newest record that some silver model has not read}
    new_records    how many records have come since they were last counted; none where no question has counted them
    new_changes    {silver table: what is new in it by source table}, see new_changes_of_silver
    gold_plans     {gold model: its plan}, see gold_plan
    declared       {gold model: what decides what is in its table}, see declared_by_model
    built          {schema: the tables that exist}, see is_built
    known          {question: its answer}, of questions that several models ask
    empty_tables   the models whose tables this run created without rows
    looked_from    {test: the version after which it looked}, see checked_version
    compared_with_some   the tests that did not compare with all earlier changes, see is_compared -#}
{% macro begin_run(bronze_version, oldest_version, applied) -%}
    {%- do graph.update({'lakehouse': {
        'bronze_version': bronze_version, 'oldest_version': oldest_version,
        'applied': applied, 'applied_before': dict(applied), 'applied_now': {},
        'unread_feeds': {}, 'new_records': none, 'new_changes': {}, 'gold_plans': {}, 'declared': {}, 'built': {},
        'known': {}, 'empty_tables': [], 'looked_from': {}, 'compared_with_some': []
    }}) -%}
{%- endmacro %}


{#- What the run knows, as begin_run lists it; empty where dbt ran no hooks (compile, show, docs). -#}
{% macro lakehouse_run() -%}
    {{ return(graph.get('lakehouse', {})) }}
{%- endmacro %}


{#- How far the model has come, as {version, built_by}; none where it has to be rebuilt. -#}
{% macro mark_of_model() -%}
    {%- set mark = cdc.lakehouse_run().get('applied', {}).get(model.name) -%}
    {{ return(none if not mark or should_full_refresh() or load_relation(this) is none else mark) }}
{%- endmacro %}


{% macro applied_versions() -%}
    {{ return(cdc.silver_relation('applied_versions')) }}
{%- endmacro %}


{#- How far each model has come, as {model: {version, built_by}}. -#}
{% macro applied_marks() -%}
    {%- set applied = {} -%}
    {%- for row in run_query('select model, bronze_version, built_by from ' ~ cdc.applied_versions()) -%}
        {%- do applied.update({row[0]: {'version': row[1] | int, 'built_by': row[2]}}) -%}
    {%- endfor -%}
    {{ return(applied) }}
{%- endmacro %}


{#- The bronze version up to which a model has read, as a query. -#}
{% macro version_read_by(model_name) -%}
select max(applied.bronze_version) from {{ cdc.applied_versions() }} as applied where applied.model = {{ cdc.quoted(model_name) }}
{%- endmacro %}


{#- Remembers that a model holds everything up to a bronze version (0 where it has none, as a view); finish_run writes it. -#}
{% macro mark_applied(version, built_by) -%}
    {%- do cdc.remember(model.name, version, built_by) -%}
{%- endmacro %}


{#- Keeps a mark of this name for later runs: of a model, or with a # in front of something else that they need not ask again. -#}
{% macro remember(name, version, built_by) -%}
    {%- set run = cdc.lakehouse_run() -%}
    {%- set mark = {'version': version, 'built_by': built_by} -%}
    {%- if run.applied.get(name) != mark -%}
        {%- do run.applied_now.update({name: mark}) -%}
        {%- do run.applied.update({name: mark}) -%}
    {%- endif -%}
{%- endmacro %}


{#- Keeps text on a build of a table for later runs, unless it is too long for a mark. -#}
{% macro remember_text(name, build, text) -%}
    {%- do cdc.remember(name, 0, build ~ ' ' ~ (text if text | length < 100000 else '')) -%}
{%- endmacro %}


{#- The model's table has new rows: what was kept of it, under its name, is no longer right, nor is a kept_table made from it. -#}
{% macro rows_were_added() -%}
    {%- set run = cdc.lakehouse_run() -%}
    {%- set stale = ['#' ~ model.name] -%}
    {%- for node in graph.nodes.values() if node.config.materialized == 'kept_table' and model.unique_id in node.depends_on.nodes -%}
        {%- do stale.append(node.name) -%}
    {%- endfor -%}
    {%- for name in stale -%}
        {%- do run.applied.pop(name, none) -%}
        {%- do run.applied_now.pop(name, none) -%}
    {%- endfor -%}
    {%- do run.known.pop(model.name, none) -%}
{%- endmacro %}


{#- What an earlier run has kept, if the table is of that build; empty otherwise. -#}
{% macro remembered_text(name, build) -%}
    {%- set text = cdc.lakehouse_run().applied.get(name, {}).get('built_by', '') -%}
    {{ return(text[build | length + 1:] if text.startswith(build ~ ' ') else '') }}
{%- endmacro %}


{#- Has a model that reads all of silver come to all records? If not, its table may hold more than its mark says: a run may have been
    killed between the two. -#}
{% macro is_settled(name) -%}
    {%- set run = cdc.lakehouse_run() -%}
    {{ return((run.unread_feeds.values() | list + [-1]) | max <= run.applied.get(name, {}).get('version', -1)) }}
{%- endmacro %}


{#- These models count as never built from here on, in this run as in the next. -#}
{% macro forget_marks(models) -%}
    {%- for name in models -%}
        {%- do cdc.lakehouse_run().get('applied', {}).pop(name, none) -%}
        {%- do cdc.lakehouse_run().get('applied_before', {}).pop(name, none) -%}
    {%- endfor -%}
    {%- do run_query('delete from ' ~ cdc.applied_versions() ~ ' where model in (' ~ cdc.quoted_list(models) ~ ')') -%}
{%- endmacro %}


{#- Writes the mark of a feed of which silver lacks records. -#}
{% macro write_forgotten(feed) -%}
    {%- do run_query('insert into ' ~ cdc.applied_versions() ~ ' values (' ~ cdc.quoted('#forgotten ' ~ feed) ~ ", 0, '')") -%}
{%- endmacro %}


{#- Which build of silver a gold table is made from. -#}
{% macro build_of_silver(meta) -%}
    {{ return(cdc.lakehouse_run().applied.get(meta.silver, {}).get('built_by', '')) }}
{%- endmacro %}


{% macro build_of_mark(mark) -%}
    {{ return(mark.built_by.split(' cases: ')[0]) }}
{%- endmacro %}


{#- None where it is not known. -#}
{% macro cases_of_mark(mark) -%}
    {%- set cases = mark.built_by.split(' cases: ')[1:] -%}
    {%- if not cases -%}{{ return(none) }}{%- endif -%}
    {{ return([] if cases == ['none'] else cases[0].split(', ')) }}
{%- endmacro %}


{#- The tables that are made of all silver: rebuilt where a table of silver is. -#}
{% macro made_of_silver() -%}
    {{ return(['cdc_schemas', 'cdc_order_marks', 'cdc_source_tables']) }}
{%- endmacro %}
