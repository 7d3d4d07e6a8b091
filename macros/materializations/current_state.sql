{#- gold.<table>: exactly the rows that live in the source now. Every step is guarded by sequence, so that a
    repeated, late or reordered change, and a run killed between two statements, change nothing.
    Beside it stands state.<table>: the highest delete of each key, and of all keys (row_key NULL: TRUNCATE, DROP).
    The whole script stands in target/run. docs/gold.md explains it. -#}

{% materialization current_state, adapter='spark' %}
    {%- set plan = gold_plan() -%}
    {%- set state = state_relation() -%}
    {%- set statements = [] -%}

    {%- if plan.mode == 'nothing' -%}
        {%- call noop_statement('main', 'nothing new') -%}{%- endcall -%}
    {%- else -%}
        {%- if plan.mode == 'build' -%}
            {%- do run_query('create schema if not exists ' ~ state.schema) -%}
            {%- do statements.append(create_state(state)) -%}
            {%- do statements.append(create_table_as(False, this, live_rows(compiled_code))) -%}
        {%- else -%}
            {%- if plan.news.deletes or plan.news.truncates -%}
                {%- do statements.append(merge_deletes(state)) -%}
            {%- endif -%}
            {%- if plan.news.truncates -%}
                {%- do statements.append(delete_emptied_rows(this, state)) -%}
            {%- endif -%}
            {%- do statements.append(merge_latest(this, compiled_code, plan)) -%}
        {%- endif -%}

        {%- for sql in statements -%}
            {%- call statement('main' if loop.last else 'step_' ~ loop.index) -%}
                {{ sql }}
            {%- endcall -%}
        {%- endfor -%}
        {{ write(statements | join('\n;\n\n')) }}
        {%- if plan.mode == 'build' -%}
            {%- do persist_docs(this, model) -%}
        {%- endif -%}
    {%- endif -%}
    {%- do mark_applied(plan.version, plan.built_by) -%}

    {{ return({'relations': [this]}) }}
{% endmaterialization %}


{#- The rows that live, as the model's select tells them: what a first build or a full refresh writes. -#}
{% macro live_rows(latest) -%}
    with latest as (

    {{ latest }}

    )

    select * except (_is_deleted, _sequence, _base_sequence, _column_sequences)
    from latest
    where not _is_deleted
{%- endmacro %}


{% macro create_state(state) -%}
create or replace table {{ state }}
using delta
as
{{ deletes_of_changes() }}
{%- endmacro %}


{#- New deletes enter the state first: after that, no older change of their keys can pass. -#}
{% macro merge_deletes(state) -%}
merge into {{ state }} as known
using (

    {{ deletes_of_changes() }}

) as deletes
    on
        known.row_key <=> deletes.row_key
        and known.topic <=> deletes.topic
        and known.partition <=> deletes.partition
when matched and deletes.delete_sequence > known.delete_sequence then update set *
when not matched then insert *
{%- endmacro %}


{#- TRUNCATE and DROP remove every row below them; where only offsets order, of their own partition. -#}
{% macro delete_emptied_rows(target, state) -%}
merge into {{ target }} as current
using (

    select * from {{ state }} where row_key is null

) as emptied
    on
        emptied.delete_sequence > current._change.sequence
        and (emptied.topic is null or emptied.topic = current._change.topic)
        and (emptied.partition is null or emptied.partition = current._change.partition)
when matched then delete
{%- endmacro %}


{#- One guarded merge: a row is deleted, replaced or inserted only by a change that is newer than itself. -#}
{% macro merge_latest(target, latest, plan) -%}
{%- set columns = model.config.meta.columns.keys() | list -%}
{%- set by_column = plan.by_column -%}
merge into {{ target }} as current
using (

{{ latest }}

) as latest
    on current._change.row_key = latest._change.row_key
when matched and latest._is_deleted and latest._sequence > current._change.sequence then delete
{%- if not by_column %}
when matched and not latest._is_deleted and latest._sequence > current._change.sequence then
    update set
    {%- for column in columns %}
        {{ identifier(column) }} = latest.{{ identifier(column) }},
    {%- endfor %}
        _change = latest._change
{%- else %}
when matched and (not latest._is_deleted and latest._sequence > current._change.sequence
    or cardinality(current._change.column_sequences) > 0) then
    update set
    {%- for column in columns %}
        {{ identifier(column) }} = if(
            {{ newest_in_latest(column) }} > {{ newest_in_current(column) }},
            latest.{{ identifier(column) }},
            current.{{ identifier(column) }}
        ),
    {%- endfor %}
        _change = named_struct(
            'row_key', current._change.row_key,
            'sequence', greatest(current._change.sequence, latest._sequence),
            'column_sequences', {{ older_than_row(
                "transform(array(" ~ quoted_list(columns) ~ "), column_name -> greatest("
                ~ "coalesce(latest._column_sequences[column_name], latest._base_sequence), "
                ~ "coalesce(current._change.column_sequences[column_name], current._change.sequence)))",
                'greatest(current._change.sequence, latest._sequence)'
            ) }},
            'topic', if(latest._sequence > current._change.sequence, latest._change.topic, current._change.topic),
            'partition', if(latest._sequence > current._change.sequence, latest._change.partition, current._change.partition),
            'changed_at', if(latest._sequence > current._change.sequence, latest._change.changed_at, current._change.changed_at),
            'misfits', concat(
                filter(
                    latest._change.misfits,
                    misfit -> coalesce(latest._column_sequences[misfit.column_name], latest._base_sequence)
                    > coalesce(current._change.column_sequences[misfit.column_name], current._change.sequence)
                ),
                filter(
                    current._change.misfits,
                    misfit -> not coalesce(
                        coalesce(latest._column_sequences[misfit.column_name], latest._base_sequence)
                        > coalesce(current._change.column_sequences[misfit.column_name], current._change.sequence),
                        false
                    )
                )
            )
        )
{%- endif %}
when not matched and not latest._is_deleted then
    insert (
    {%- for column in columns %}
        {{ identifier(column) }},
    {%- endfor %}
        _change
    ) values (
    {%- for column in columns %}
        latest.{{ identifier(column) }},
    {%- endfor %}
        latest._change
    )
{%- endmacro %}


{% macro newest_in_latest(column) -%}
coalesce(latest._column_sequences[{{ quoted(column) }}], latest._base_sequence)
{%- endmacro %}


{% macro newest_in_current(column) -%}
coalesce(current._change.column_sequences[{{ quoted(column) }}], current._change.sequence)
{%- endmacro %}


{#- Column to sequence for the columns that are older than their row; empty where none is. A column that no
    message has brought yet is older than everything: epoch -1. -#}
{% macro older_than_row(sequences, sequence) -%}
map_filter(
                    map_from_arrays(array({{ quoted_list(model.config.meta.columns.keys()) }}), {{ sequences }}),
                    (column_name, column_sequence) -> column_sequence < {{ sequence }}
                )
{%- endmacro %}


{#- What this run has to do for the model: build, merge or nothing, from which bronze version on, and what is new. -#}
{% macro gold_plan() -%}
    {%- set applied = lakehouse_run().get('applied', {}) -%}
    {%- set meta = model.config.meta -%}
    {%- set silver = applied.get(feed_settings(meta.feed).format ~ '_changes') -%}
    {%- set schemas = applied.get('schemas') -%}
    {%- set mark = applied.get(model.name) -%}
    {%- set plan = {
        'mode': 'build', 'from_version': none, 'version': none, 'built_by': none, 'news': {},
        'by_column': true, 'moves': true
    } -%}
    {%- if silver and schemas -%}
        {%- do plan.update({'version': [silver.version, schemas.version] | min, 'built_by': silver.built_by}) -%}
        {%- if mark and mark.built_by == silver.built_by and not should_full_refresh() and load_relation(this) is not none -%}
            {%- set news = {} if mark.version >= plan.version else table_news(meta) -%}
            {%- do plan.update({
                'mode': 'merge' if news else 'nothing', 'from_version': mark.version, 'news': news,
                'moves': news.get('moves', 0) > 0,
                'by_column': news != {} and (news.partials > 0 or has_partial_rows())
            }) -%}
        {%- endif -%}
    {%- endif -%}
    {{ return(plan) }}
{%- endmacro %}


{% macro has_partial_rows() -%}
    {{ return(
        run_query('select 1 from ' ~ this ~ ' where cardinality(_change.column_sequences) > 0 limit 1') | length > 0
    ) }}
{%- endmacro %}


{% macro state_relation() -%}
    {{ return(api.Relation.create(
        schema=generate_schema_name('state', none), identifier=this.identifier, type='table'
    )) }}
{%- endmacro %}


{#- What silver brought for one table since the oldest mark of any gold model of its format: asked once per
    format and run, not once per table. -#}
{% macro table_news(meta) -%}
    {%- set run = lakehouse_run() -%}
    {%- set format = feed_settings(meta.feed).format -%}
    {%- if format not in run.table_news -%}
        {%- set marks = [] -%}
        {%- for node in graph.nodes.values() if node.config.materialized == 'current_state' -%}
            {%- if feed_settings(node.config.meta.feed).format == format and node.name in run.applied -%}
                {%- do marks.append(run.applied[node.name].version) -%}
            {%- endif -%}
        {%- endfor -%}
        {%- set rows = run_query(news_by_table(ref(format ~ '_changes'), marks | min)) -%}
        {%- set news = {} -%}
        {%- for row in rows -%}
            {%- do news.update({
                (row[0], row[1], row[2], row[3]):
                {'rows': row[4] | int, 'deletes': row[5] | int, 'truncates': row[6] | int,
                 'partials': row[7] | int, 'moves': row[8] | int}
            }) -%}
        {%- endfor -%}
        {%- do run.table_news.update({format: news}) -%}
    {%- endif -%}
    {%- set found = [] -%}
    {%- for place, news in run.table_news[format].items() -%}
        {%- if place[0] == meta.feed and place[3] == meta.table
            and (not meta.database or place[1] == meta.database)
            and (not meta.schema or place[2] == meta.schema) -%}
            {%- do found.append(news) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found[0] if found else {}) }}
{%- endmacro %}


{% macro news_by_table(changes, version) -%}
    select
        feed,
        database_name,
        schema_name,
        table_name,
        count(*) as row_count,
        count_if(operation in ('delete', 'update_before')) as deletes,
        count_if(operation = 'truncate' or ddl_kind = 'drop') as truncates,
        count_if(after_image is not null and not is_after_complete) as partials,
        count_if(previous_row_key is not null and size(after_unavailable) > 0) as moves
    from {{ changes }}
    where
        bronze_version > {{ version }}
        and operation in (
            'insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before', 'truncate', 'schema_change'
        )
    group by feed, database_name, schema_name, table_name
{%- endmacro %}
