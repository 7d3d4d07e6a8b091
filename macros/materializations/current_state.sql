{#- gold.<table>: exactly the rows that live in the source now. Every step is guarded by sequence, so that a
    repeated, late or reordered change, and a run killed between two statements, change nothing.
    Beside it stands state.<table>: the deletes of each key, and of all keys (row_key NULL: TRUNCATE, DROP), and the changes
    that brought a row from one key to another without telling all of its values. Of several rows of a key the highest
    counts; compact_tables leaves that one.
    The whole script stands in target/run. docs/gold.md explains it. -#}

{% materialization current_state, adapter='spark' %}
    {%- set plan = cdc.gold_plan() -%}

    {%- if plan.mode == 'nothing' -%}
        {%- do cdc.nothing_new() -%}
    {%- else -%}
        {%- do cdc.refuse_without_silver(plan) -%}
        {%- set state = cdc.state_relation() -%}
        {%- set statements = [] -%}
        {%- if plan.mode == 'build' -%}
            {%- do run_query('create schema if not exists ' ~ state.schema) -%}
            {%- do statements.append(cdc.create_state(state, plan)) -%}
            {%- do statements.append(cdc.create_gold_table(cdc.live_rows(compiled_code), plan.columns)) -%}
        {%- else -%}
            {%- if plan.news.deletes or plan.news.truncates or plan.news.moves or plan.has_ranges or cdc.cut_overs() -%}
                {%- do statements.append(cdc.append_deletes(state, plan)) -%}
            {%- endif -%}
            {%- if plan.news.truncates or plan.has_ranges or cdc.cut_overs() -%}
                {%- do statements.append(cdc.remove_emptied_values(this, state) if plan.by_column else cdc.delete_emptied_rows(this, state)) -%}
            {%- endif -%}
            {%- do statements.append(cdc.merge_latest(this, compiled_code, plan)) -%}
        {%- endif -%}

        {%- for sql in statements -%}
            {%- call statement('main' if loop.last else 'step_' ~ loop.index) -%}
                {{ sql }}
            {%- endcall -%}
        {%- endfor -%}
        {{ write(statements | join('\n;\n\n')) }}
        {%- if plan.mode == 'build' -%}
            {%- do persist_docs(this, model) -%}
            {%- do cdc.comment_columns(model.config.meta) -%}
        {%- endif -%}
    {%- endif -%}
    {%- do cdc.mark_gold_applied(plan) -%}

    {{ return({'relations': [this]}) }}
{% endmaterialization %}


{% macro refuse_without_silver(plan) -%}
    {%- if plan.version is none -%}
        {{ exceptions.raise_compiler_error(
            'Gold is made from silver, which was not built yet: run `dbt run` once without a selection, or `dbt build`.'
        ) }}
    {%- endif -%}
{%- endmacro %}


{#- The rows that live, as the model's select tells them: what a first build or a full refresh writes. -#}
{% macro live_rows(latest) -%}
    with latest as (

    {{ latest }}

    )

    select * except (_is_deleted, _is_rebuilt, _sequence, _delete_sequence, _base_sequence, _column_sequences)
    from latest
    where not _is_deleted
{%- endmacro %}


{% macro create_state(state, plan) -%}
create or replace table {{ state }}
using delta
as
{{ cdc.deletes_of_changes(plan) }}
{%- endmacro %}


{#- New deletes enter the state first: after that, no older change of their keys can pass. Those of a run that is repeated
    enter again, to no effect. -#}
{% macro append_deletes(state, plan) -%}
insert into {{ state }} (row_key, {{ 'shard, ' if cdc.shard_parts() }}topic, partition, delete_sequence, operation, moved_sequence)
{{ cdc.deletes_of_changes(plan) }}
{%- endmacro %}


{#- TRUNCATE and DROP remove every row below them; where only offsets order, of their own partition. -#}
{% macro delete_emptied_rows(target, state) -%}
merge into {{ target }} as current
using (

    select *
    from {{ state }}
    where row_key is null

) as emptied
    on
        emptied.delete_sequence > current._change.sequence
        and {{ cdc.reaches('emptied', 'current._change') }}
when matched then delete
{%- endmacro %}


{#- The same for rows with values of several ages: a row above the TRUNCATE keeps no value from below it. -#}
{% macro remove_emptied_values(target, state) -%}
merge into {{ target }} as current
using (

    select
        current._change.row_key,
        max(emptied.delete_sequence) as delete_sequence
    from {{ target }} as current
        inner join {{ state }} as emptied
            on
                emptied.row_key is null
                and {{ cdc.reaches('emptied', 'current._change') }}
                and (
                    current._change.sequence < emptied.delete_sequence
                    or exists(
                        map_values(current._change.column_sequences),
                        column_sequence -> column_sequence.epoch >= 0 and column_sequence < emptied.delete_sequence
                    )
                )
    group by current._change.row_key

) as emptied
    on current._change.row_key = emptied.row_key
when matched and emptied.delete_sequence > current._change.sequence then delete
when matched then
    update set
    {%- for column in cdc.gold_plan().columns %}
        {{ cdc.identifier(column) }} = if(
            {{ cdc.newest_in_current(cdc.quoted(column)) }} < emptied.delete_sequence, null, current.{{ cdc.identifier(column) }}
        ),
    {%- endfor %}
        _change.column_sequences = transform_values(
            current._change.column_sequences,
            (column_name, column_sequence) -> if(
                column_sequence < emptied.delete_sequence, {{ cdc.never() }}, column_sequence
            )
        ),
        _change.misfits = filter(
            current._change.misfits,
            misfit -> {{ cdc.newest_in_current('misfit.column_name') }} > emptied.delete_sequence
        )
{%- endmacro %}


{#- One guarded merge: a row is deleted, replaced or inserted only by a change that is newer than itself. -#}
{% macro merge_latest(target, latest, plan) -%}
{%- set columns = plan.columns.keys() | list -%}
{%- set by_column = plan.by_column -%}
merge into {{ target }} as current
using (

{{ latest }}

) as latest
    on current._change.row_key = latest._change.row_key
when matched and latest._is_deleted and latest._sequence > current._change.sequence then delete
{%- if not by_column or plan.rebuilds_moved %}
when matched and not latest._is_deleted and {{ 'latest._is_rebuilt' if by_column else 'latest._sequence > current._change.sequence' }} then
    update set
    {%- for column in columns %}
        {{ cdc.identifier(column) }} = latest.{{ cdc.identifier(column) }},
    {%- endfor %}
        _change = latest._change
{%- endif %}
{%- if by_column %}
when matched and (not latest._is_deleted and latest._sequence > current._change.sequence
    or cardinality(current._change.column_sequences) > 0) then
    update set
    {%- for column in columns %}
        {{ cdc.identifier(column) }} = case
            when {{ cdc.newest_in_latest(cdc.quoted(column)) }} > {{ cdc.newest_in_current(cdc.quoted(column)) }} then latest.{{ cdc.identifier(column) }}
            when latest._delete_sequence > {{ cdc.newest_in_current(cdc.quoted(column)) }} then null
            else current.{{ cdc.identifier(column) }}
        end,
    {%- endfor %}
        _change = named_struct(
            'row_key', current._change.row_key,
            'sequence', greatest(current._change.sequence, latest._sequence),
            'column_sequences', {{ cdc.older_than_row(
                "transform(array(" ~ cdc.quoted_list(columns) ~ "), column_name -> case when "
                ~ cdc.newest_in_latest('column_name') ~ " > " ~ cdc.newest_in_current('column_name') ~ " then "
                ~ cdc.newest_in_latest('column_name') ~ " when latest._delete_sequence > " ~ cdc.newest_in_current('column_name')
                ~ " then " ~ cdc.never() ~ " else " ~ cdc.newest_in_current('column_name') ~ " end)",
                'greatest(current._change.sequence, latest._sequence)'
            ) }},
            'topic', if(latest._sequence > current._change.sequence, latest._change.topic, current._change.topic),
            'partition', if(latest._sequence > current._change.sequence, latest._change.partition, current._change.partition),
            'changed_at', if(latest._sequence > current._change.sequence, latest._change.changed_at, current._change.changed_at),
            'misfits', concat(
                filter(
                    latest._change.misfits,
                    misfit -> {{ cdc.newest_in_latest('misfit.column_name') }} > {{ cdc.newest_in_current('misfit.column_name') }}
                ),
                filter(
                    current._change.misfits,
                    misfit -> not coalesce(
                        greatest({{ cdc.newest_in_latest('misfit.column_name') }}, latest._delete_sequence)
                        > {{ cdc.newest_in_current('misfit.column_name') }},
                        false
                    )
                )
            )
        )
{%- endif %}
when not matched and not latest._is_deleted then
    insert (
    {%- for column in columns %}
        {{ cdc.identifier(column) }},
    {%- endfor %}
        _change
    ) values (
    {%- for column in columns %}
        latest.{{ cdc.identifier(column) }},
    {%- endfor %}
        latest._change
    )
{%- endmacro %}


{#- Which change brought the value of a column (an expression for its name): of the new changes, of gold's row. -#}
{% macro newest_in_latest(column) -%}
coalesce(latest._column_sequences[{{ column }}], latest._base_sequence)
{%- endmacro %}


{% macro newest_in_current(column) -%}
coalesce(current._change.column_sequences[{{ column }}], current._change.sequence)
{%- endmacro %}


{#- Column to sequence for the columns that are older than their row; empty where none is. A column that no
    message has brought yet is older than everything: epoch -1. -#}
{% macro older_than_row(sequences, sequence) -%}
map_filter(
                    map_from_arrays(array({{ cdc.quoted_list(cdc.gold_plan().columns.keys()) }}), {{ sequences }}),
                    (column_name, column_sequence) -> column_sequence < {{ sequence }}
                )
{%- endmacro %}


{#- What this run has to do for the model: build, merge or nothing, from which bronze version on, and what is new. -#}
{% macro gold_plan() -%}
    {%- set run = cdc.lakehouse_run() -%}
    {%- if model.name in run.get('gold_plans', {}) -%}
        {{ return(run.gold_plans[model.name]) }}
    {%- endif -%}
    {%- set meta = model.config.meta -%}
    {%- set version = cdc.version_for_gold(meta) -%}
    {%- if version is none -%}
        {{ return({
            'mode': 'build', 'from_version': none, 'version': none, 'built_by': none, 'columns': meta.columns,
            'news': {}, 'by_column': true, 'moves': true, 'rebuilds_moved': false, 'has_ranges': true, 'cases': none
        }) }}
    {%- endif -%}
    {%- set mark = cdc.mark_of_gold_model(model) -%}
    {%- set rebuild = not mark or should_full_refresh() or not cdc.is_built(this) -%}
    {%- set news = {} if mark and mark.version >= version and not rebuild else cdc.table_news(meta, -1 if rebuild else mark.version) -%}
    {%- set columns = meta.columns -%}
    {%- if meta.new_columns == 'add' and news -%}
        {%- set before = {} if rebuild else cdc.added_columns(meta, this) -%}
        {%- set added = cdc.with_columns_of_news(meta, news, before) -%}
        {%- if added != before and not rebuild -%}
            {%- set all_news = cdc.table_news(meta, -1) -%}
            {%- set added = cdc.with_columns_of_news(meta, all_news, {}) -%}
            {%- if added != before -%}
                {%- set rebuild = true -%}
                {%- set news = all_news -%}
            {%- endif -%}
        {%- endif -%}
        {%- set columns = dict(meta.columns, **added) -%}
    {%- endif -%}
    {%- if not rebuild and meta.key and news.get('emptied_partitions', 0) > 0 and cdc.has_keys_in_several_partitions() -%}
        {%- set rebuild = true -%}
        {%- set news = cdc.table_news(meta, -1) -%}
    {%- endif -%}
    {%- set plan = {
        'mode': 'nothing' if not rebuild and not news else 'build' if rebuild or not meta.key else 'merge',
        'from_version': none if rebuild or not meta.key else mark.version,
        'version': version,
        'built_by': cdc.build_of_gold_model(model, version),
        'columns': columns,
        'news': news,
        'by_column': news.get('partials', 0) > 0,
        'moves': news.get('moves', 0) > 0,
        'rebuilds_moved': false,
        'has_ranges': news != {} and cdc.has_ranges(meta),
        'cases': cdc.cases_of_mark(mark) if mark else none
    } -%}
    {%- set known = cdc.known_of_table() if plan.mode == 'merge' and plan.cases != [] else [] -%}
    {%- if plan.mode == 'merge' -%}
        {%- if 'moved keys' in known and not plan.moves -%}
            {%- do plan.update({
                'moves': news.truncates > 0 or plan.has_ranges or cdc.has_older_changes_of_moved_keys(plan)
            }) -%}
        {%- endif -%}
        {%- do plan.update({
            'by_column': plan.by_column or plan.moves or 'partial rows' in known, 'rebuilds_moved': plan.moves
        }) -%}
    {%- endif -%}
    {%- if plan.mode != 'nothing' -%}
        {%- set cases = ['partial rows'] if plan.by_column or plan.moves else [] -%}
        {%- if 'moved keys' in known or news.get('moves', 0) > 0 -%}
            {%- do cases.append('moved keys') -%}
        {%- endif -%}
        {%- do plan.update({'cases': cases}) -%}
    {%- endif -%}
    {%- do run.gold_plans.update({model.name: plan}) -%}
    {{ return(plan) }}
{%- endmacro %}


{#- Does a table of gold stand? Asked once a run: load_relation() searches all relations for each. -#}
{% macro is_built(table) -%}
    {%- set run = graph.lakehouse -%}
    {%- if table.schema not in run.built -%}
        {%- do run.built.update({
            table.schema: run_query('show tables in ' ~ table.schema).columns[1].values() | list
        }) -%}
    {%- endif -%}
    {{ return(table.identifier | lower in run.built[table.schema]) }}
{%- endmacro %}


{#- The bronze version up to which silver holds what gold reads; none where a part of it was not built yet. -#}
{% macro version_for_gold(meta) -%}
    {%- set versions = [] -%}
    {%- set applied = cdc.lakehouse_run().get('applied', {}) -%}
    {%- for name in [meta.silver, 'cdc_schemas', 'cdc_order_marks'] -%}
        {%- set mark = applied.get(name) -%}
        {%- if not mark -%}{{ return(none) }}{%- endif -%}
        {%- do versions.append(mark.version) -%}
    {%- endfor -%}
    {{ return(versions | min) }}
{%- endmacro %}


{#- Which build of silver a gold table is made from. -#}
{% macro build_of_silver(meta) -%}
    {{ return(graph.lakehouse.applied.get(meta.silver, {}).get('built_by', '')) }}
{%- endmacro %}


{% macro gold_models() -%}
    {{ return(graph.nodes.values() | selectattr('config.materialized', 'in', ['current_state', 'current_rows']) | list) }}
{%- endmacro %}


{#- How far the model's table has come; none where it must be built anew, since silver was, or the model declares it otherwise. -#}
{% macro mark_of_gold_model(node) -%}
    {%- set mark = graph.lakehouse.applied.get(node.name) -%}
    {{ return(mark if mark and cdc.build_of_mark(mark) == cdc.build_of_gold_model(node, mark.version) else none) }}
{%- endmacro %}


{#- A mark of a gold table ends with the rarer cases that the table may have, as far as its runs have met them: a run that is
    killed writes no mark, and the next one meets its changes again. Marks of earlier versions of this project end without. -#}
{% macro mark_gold_applied(plan) -%}
    {%- set cases = '' if plan.cases is none else ' cases: ' ~ (plan.cases | join(', ') or 'none') -%}
    {%- do cdc.mark_applied(plan.version, plan.built_by ~ cases) -%}
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


{#- What a gold table is made from: a build of silver, what its model declares, and the epochs of the changes up to a bronze
    version: where later messages tell that those were others, the table is built anew. -#}
{% macro build_of_gold_model(node, version) -%}
    {%- set ranges = cdc.ranges_of_table(node.config.meta) | selectattr('version', '<=', version) | map(attribute='range') | sort -%}
    {#- tables whose keys were compared as the messages write them are built anew -#}
    {%- set declared = cdc.declared_by_model(node) + [ranges] + (['keys are values'] if cdc.forms_of_key(node.config.meta) else []) -%}
    {{ return(cdc.build_of_silver(node.config.meta) ~ ' ' ~ local_md5(tojson(declared, sort_keys=true))) }}
{%- endmacro %}


{#- What a model declares that decides what stands in its table; put together once a run, which asks several times. -#}
{% macro declared_by_model(node) -%}
    {%- set run = graph.lakehouse -%}
    {%- if node.name not in run.declared -%}
        {%- set meta = node.config.meta -%}
        {#- what `_change` consists of: tables that were built with less are built anew -#}
        {%- set declared = ['misfits have places', 'sequences have partitions'] -%}
        {%- for part in ['feed', 'source_catalog', 'database', 'schema', 'table', 'key'] -%}
            {%- do declared.append(meta[part]) -%}
        {%- endfor -%}
        {%- if meta.key | length > 1 -%}
            {%- do declared.append('keys are in the declared order') -%}
        {%- endif -%}
        {%- for name, column in cdc.column_sources(meta.columns).items() -%}
            {%- do declared.append([name, column.type | lower, column.get('source', name)]) -%}
        {%- endfor -%}
        {#- without this, columns that were added would stay as they are, once nothing adds to them -#}
        {%- do declared.append(meta.left_out if meta.new_columns == 'add' else none) -%}
        {%- do run.declared.update({node.name: declared}) -%}
    {%- endif -%}
    {{ return(run.declared[node.name]) }}
{%- endmacro %}


{#- Which of the rarer cases the table has: rows with values of several ages, keys that were left with values under them. Asked
    only of tables that may have one. -#}
{% macro known_of_table() -%}
    {{ return(run_query(
        "(select 'partial rows' as known from " ~ this ~ " where cardinality(_change.column_sequences) > 0 limit 1)"
        ~ " union all (select 'moved keys' from " ~ cdc.state_relation() ~ " where moved_sequence.epoch is not null limit 1)"
    ).columns[0].values() | list) }}
{%- endmacro %}


{% macro has_older_changes_of_moved_keys(plan) -%}
    {{ return(run_query(
        'with changes_of_table as (' ~ cdc.changes_of_table(plan) ~ ')'
        ~ ' select 1 from changes_of_table as changes inner join ' ~ cdc.state_relation() ~ ' as moved'
        ~ ' on changes.row_key = moved.row_key and changes.sequence < moved.moved_sequence limit 1'
    ) | length > 0) }}
{%- endmacro %}


{#- A TRUNCATE in one partition of such a key may bring back what another partition told: gold has kept only what won. -#}
{% macro has_keys_in_several_partitions() -%}
    {{ return(run_query(
        'select 1 from ' ~ cdc.silver_of(model.config.meta) ~ ' as changes' ~ cdc.join_types_of_key('changes') ~ ' where ' ~ cdc.of_this_table('changes')
        ~ " and changes.order_scope = 'offset' and " ~ cdc.names_a_row('changes.row_key')
        ~ ' group by ' ~ cdc.gold_key('changes') ~ ' having count(distinct changes.topic, changes.partition) > 1 limit 1'
    ) | length > 0) }}
{%- endmacro %}


{% macro state_relation() -%}
    {{ return(cdc.state_of(this)) }}
{%- endmacro %}


{#- Where the deletes of a gold table stand: the table of the same name in the schema `state`. -#}
{% macro state_of(gold_table) -%}
    {{ return(api.Relation.create(schema=generate_schema_name('state', none), identifier=gold_table.identifier, type='table')) }}
{%- endmacro %}


{#- What silver brought for one table since a bronze version, that of the model's mark. -#}
{% macro table_news(meta, version) -%}
    {%- set found = {} -%}
    {%- for news in cdc.news_of_silver(meta.silver, version < 0).rows
        if news.version > version and (meta.table is mapping or news.table == meta.table)
    -%}
        {%- if cdc.reads_table(meta, news.feed, news.database, news.schema, news.table) -%}
            {%- for count in ['deletes', 'truncates', 'emptied_partitions', 'partials', 'moves'] -%}
                {%- do found.update({count: found.get(count, 0) + news[count]}) -%}
            {%- endfor -%}
            {%- for list in ['column_names', 'schema_ids'] -%}
                {%- do found.update({list: found.get(list, []) + news[list]}) -%}
            {%- endfor -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{%- endmacro %}


{#- What silver brought for all tables of a format, as {since, rows}: asked once per run, and not per table, from the oldest mark of
    all that is made from it; and once from the beginning, if a table has to be built. -#}
{% macro news_of_silver(silver, from_beginning=false) -%}
    {%- set news = graph.lakehouse.table_news -%}
    {%- set question = silver ~ (' from the beginning' if from_beginning else '') -%}
    {%- if question not in news -%}
        {%- set since = -1 if from_beginning else cdc.oldest_mark_behind(silver) -%}
        {%- set names_columns = cdc.adds_columns(silver) -%}
        {%- set rows = [] -%}
        {%- for row in run_query(cdc.news_by_table(cdc.silver_of({'silver': silver}), since, names_columns)) -%}
            {%- do rows.append({
                'feed': row[0], 'database': row[1], 'schema': row[2], 'table': row[3], 'deletes': row[4] | int,
                'truncates': row[5] | int, 'emptied_partitions': row[6] | int, 'partials': row[7] | int, 'moves': row[8] | int,
                'version': row[9] | int(-1), 'positioned_version': row[10] | int(-1), 'schema_ids': fromjson(row[11]),
                'column_names': fromjson(row[12]) if names_columns else []
            }) -%}
        {%- endfor -%}
        {%- do news.update({question: {'since': since, 'rows': rows}}) -%}
    {%- endif -%}
    {{ return(news[question]) }}
{%- endmacro %}


{#- Up to which bronze version all has read that is made from a change table of silver, and from its present build. -#}
{% macro oldest_mark_behind(silver) -%}
    {%- set applied = graph.lakehouse.applied -%}
    {%- set build = applied.get(silver, {}).get('built_by', '') ~ ' ' -%}
    {%- set versions = [] -%}
    {%- for name in ['cdc_schemas', 'cdc_order_marks'] if name in applied -%}
        {%- do versions.append(applied[name].version) -%}
    {%- endfor -%}
    {%- for node in cdc.gold_models() if node.config.meta.silver == silver -%}
        {%- set mark = applied.get(node.name) -%}
        {%- if mark and mark.built_by.startswith(build) -%}{%- do versions.append(mark.version) -%}{%- endif -%}
    {%- endfor -%}
    {{ return(versions | min if versions else -1) }}
{%- endmacro %}


{#- With the names of all columns, which cost a look into every image, only where a gold model adds columns. -#}
{% macro news_by_table(changes, version, names_columns) -%}
    with new_changes as (

        select
            *,
            operation in (
                'insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before', 'truncate', 'schema_change'
            ) as is_for_gold
        from {{ changes }}
        where bronze_version > {{ version }}

    )

    select
        feed,
        database_name,
        schema_name,
        table_name,
        count_if(operation in ('delete', 'update_before')) as deletes,
        count_if(operation = 'truncate' or is_for_gold and ddl_kind = 'drop') as truncates,
        count_if((operation = 'truncate' or is_for_gold and ddl_kind = 'drop') and order_scope = 'offset') as emptied_partitions,
        count_if(operation in ('insert', 'update', 'upsert', 'snapshot') and not is_after_complete) as partials,
        count_if(is_for_gold and {{ cdc.leaves_values_behind('new_changes') }}) as moves,
        max(bronze_version) filter (where is_for_gold) as version,
        max(bronze_version) filter (where order_scope = 'position') as positioned_version,
        to_json(collect_set(schema_id)) as schema_ids
        {%- if names_columns %},
        to_json(array_distinct(flatten(collect_set(map_keys(after_image)) filter (where is_for_gold)))) as column_names
        {%- endif %}
    from new_changes
    group by feed, database_name, schema_name, table_name
{%- endmacro %}


{#- Has the table epochs or inherited positions? Most have none, and then do not join the relation that tells them. -#}
{% macro has_ranges(meta) -%}
    {{ return(not cdc.lakehouse_run() or cdc.ranges_of_table(meta) != []) }}
{%- endmacro %}


{#- The epochs of the table's partitions, each with the bronze version that brought its first change. -#}
{% macro ranges_of_table(meta) -%}
    {%- set known = graph.lakehouse.known -%}
    {%- if 'cdc_order_marks' not in known -%}
        {%- do known.update({'cdc_order_marks': cdc.known_ranges()}) -%}
    {%- endif -%}
    {%- set found = [] -%}
    {#- the plain comparisons first: calls of a macro for each range of each of many tables take seconds -#}
    {%- for row in known.cdc_order_marks
        if row[0] == meta.feed and (meta.table is mapping or row[3] == meta.table) and cdc.reads_table(meta, row[0], row[1], row[2], row[3]) -%}
        {%- do found.append({'range': row[4], 'version': row[5]}) -%}
    {%- endfor -%}
    {{ return(found) }}
{%- endmacro %}


{#- Those of all tables. They are made from silver.order_marks alone, so that those of the last run are right until it has more. -#}
{% macro known_ranges() -%}
    {%- set applied = graph.lakehouse.applied -%}
    {%- set build = applied.get('cdc_order_marks', {}).get('built_by') ~ ' ' ~ applied.get('cdc_sequence_ranges', {}).get('built_by') -%}
    {%- set text = cdc.remembered_text('#cdc_order_marks', build) if cdc.is_settled('cdc_order_marks') -%}
    {%- if text -%}
        {{ return(fromjson(text)) }}
    {%- endif -%}
    {%- set ranges = [] -%}
    {%- for row in run_query(cdc.ranges_by_table()) -%}
        {%- do ranges.append(row.values()[:5] | list + [row[5] | int]) -%}
    {%- endfor -%}
    {%- if cdc.is_settled('cdc_order_marks') -%}
        {%- do cdc.remember_text('#cdc_order_marks', build, tojson(ranges)) -%}
    {%- endif -%}
    {{ return(ranges) }}
{%- endmacro %}


{% macro ranges_by_table() -%}
    select
        feed,
        database_name,
        schema_name,
        table_name,
        to_json(struct(topic, topic_generation, partition, epoch, later_epochs, min_by(from_offset, struct(bronze_version, from_offset)))) as range,
        min(bronze_version) as version
    from {{ generate_schema_name('silver', none) }}.sequence_ranges
    where
        epoch > 0
        or later_epochs is not null
        or inherited_position is not null
    group by feed, database_name, schema_name, table_name, topic, topic_generation, partition, epoch, later_epochs
{%- endmacro %}
