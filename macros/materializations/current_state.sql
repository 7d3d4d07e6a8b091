{#- gold.<table>: exactly the rows that are in the source now. Every step compares sequences, so that an older change
    never undoes a newer one, whatever the order of arrival, and a run that was killed between two statements is repeated.
    Beside it is state.<table>: the deletes of each key, and of all keys (row_key NULL: TRUNCATE, DROP, a full load or cut-over
    that removes what it does not send), and the changes that moved a row from one key to another without carrying all of its values. Of several rows of a key the newest
    counts; compact_tables leaves that one.
    The whole script is in target/run. docs/gold/merge.md explains it. -#}

{% materialization current_state, adapter='spark' %}
    {%- set plan = cdc.gold_plan() -%}

    {%- call cdc.with_hooks() -%}
        {%- if plan.mode == 'nothing' -%}
            {%- do cdc.nothing_new() -%}
        {%- else -%}
            {%- do cdc.refuse_without_silver(plan) -%}
            {%- set state = cdc.state_relation() -%}
            {#- each step is made when those before it have run: which keys a merge reaches, depends on the state -#}
            {%- set steps = [] -%}
            {%- if plan.mode == 'build' -%}
                {%- do cdc.drop_other_type('table') -%}
                {%- do run_query('create schema if not exists ' ~ state.schema) -%}
                {%- do cdc._run_step(steps, cdc.create_state(state, plan)) -%}
                {%- do cdc._run_step(steps, cdc.create_gold_table(cdc.live_rows(compiled_code), plan.columns)) -%}
                {%- do persist_docs(this, model) -%}
                {%- do cdc.comment_columns(model.config.meta) -%}
            {%- else -%}
                {%- if cdc.may_remove_rows(plan) -%}
                    {%- do cdc._run_step(steps, cdc.append_deletes(state, plan)) -%}
                {%- endif -%}
                {%- if plan.new_changes.truncates or plan.has_ranges or cdc.cut_overs() -%}
                    {%- set cleared = cdc.remove_cleared_values(this, state, plan) if plan.by_column else cdc.delete_cleared_rows(this, state) -%}
                    {%- do cdc._run_step(steps, cleared) -%}
                {%- endif -%}
                {%- do cdc._run_step(steps, cdc.merge_latest(this, compiled_code, plan)) -%}
            {%- endif -%}
            {{ write(steps | join('\n;\n\n')) }}
        {%- endif -%}
    {%- endcall -%}
    {%- do cdc.mark_gold_applied(plan) -%}

    {{ return({'relations': [this]}) }}
{% endmaterialization %}


{#- Runs a statement, and adds it to those that target/run will show. -#}
{% macro _run_step(steps, sql) -%}
    {%- call statement('main') -%}
        {{ sql }}
    {%- endcall -%}
    {%- do steps.append(sql) -%}
{%- endmacro %}


{#- The rows that exist by the model's select: what a first build or a full refresh writes. -#}
{% macro live_rows(latest) -%}
    with latest as (

    {{ latest }}

    )

    select * except (_is_deleted, _is_rebuilt, _sequence, _delete_sequence, _base_sequence, _column_sequences)
    from latest
    where not _is_deleted
{%- endmacro %}


{#- Of a table whose changes remove nothing the state is empty, and no change has to be read for it. -#}
{% macro create_state(state, plan) -%}
    {%- if cdc.may_remove_rows(plan) -%}
create or replace table {{ state }}
using delta
as
{{ cdc.deletes_of_changes(plan) }}
    {%- else -%}
create or replace table {{ state }} (
    row_key array<string>,
    {%- if cdc.shard_parts() %}
    shard array<string>,
    {%- endif %}
    topic string,
    partition int,
    delete_sequence {{ cdc.sequence_type() }},
    operation string,
    moved_sequence {{ cdc.sequence_type() }}
)
using delta
    {%- endif -%}
{%- endmacro %}


{#- Can the changes of the run delete a row, move one to another key, or empty the table? -#}
{% macro may_remove_rows(plan) -%}
    {%- set new_changes = plan.new_changes -%}
    {{ return(new_changes.deletes or new_changes.truncates or new_changes.moves or plan.has_ranges or cdc.cut_overs() != []) }}
{%- endmacro %}


{#- New deletes enter the state first: after that, no older change of their keys can pass. Those of a run that is repeated
    enter again, to no effect. -#}
{% macro append_deletes(state, plan) -%}
insert into {{ state }} (row_key, {{ 'shard, ' if cdc.shard_parts() }}topic, partition, delete_sequence, operation, moved_sequence)
{{ cdc.deletes_of_changes(plan) }}
{%- endmacro %}


{#- TRUNCATE and DROP remove every older row; where only offsets order, of their own partition. -#}
{% macro delete_cleared_rows(target, state) -%}
merge into {{ target }} as current
using (

    select *
    from {{ state }}
    where row_key is null

) as cleared
    on
        cleared.delete_sequence > current._change.sequence
        and {{ cdc.reaches('cleared', 'current._change') }}
when matched then delete
{%- endmacro %}


{#- The same for rows with values of several ages: a row newer than the TRUNCATE keeps no value older than it. -#}
{% macro remove_cleared_values(target, state, plan) -%}
merge into {{ target }} as current
using (

{{ cdc.joined_in_parts(cdc._rows_with_cleared_values(target, state), 'rows_to_clear', 'merge') }}

) as cleared
    on current._change.row_key = cleared.row_key
when matched and cleared.delete_sequence > current._change.sequence then delete
when matched then
    update set
    {%- for column in plan.columns %}
        {{ cdc.identifier(column) }} = if(
            {{ cdc.newest_in_current(cdc.quoted(column)) }} < cleared.delete_sequence, null, current.{{ cdc.identifier(column) }}
        ),
    {%- endfor %}
        _change.column_sequences = transform_values(
            current._change.column_sequences,
            (column_name, column_sequence) -> if(
                column_sequence < cleared.delete_sequence, {{ cdc.lowest_sequence() }}, column_sequence
            )
        ),
        _change.misfits = filter(
            current._change.misfits,
            misfit -> {{ cdc.newest_in_current('misfit.column_name') }} > cleared.delete_sequence
        )
{%- endmacro %}


{% macro _rows_with_cleared_values(target, state) -%}
    select
        current._change.row_key,
        max(cleared.delete_sequence) as delete_sequence
    from {{ target }} as current
        inner join {{ state }} as cleared
            on
                cleared.row_key is null
                and {{ cdc.reaches('cleared', 'current._change') }}
                and (
                    current._change.sequence < cleared.delete_sequence
                    or exists(
                        map_values(current._change.column_sequences),
                        column_sequence -> column_sequence.epoch >= 0 and column_sequence < cleared.delete_sequence
                    )
                )
    group by current._change.row_key
{%- endmacro %}


{#- One guarded merge: a row is deleted, replaced or inserted only by a change that is newer than itself. -#}
{% macro merge_latest(target, latest, plan) -%}
{%- set columns = plan.columns.keys() | list -%}
{%- set by_column = plan.by_column -%}
{%- set places = cdc.key_ranges(latest, plan) -%}
merge into {{ target }} as current
using (

{{ cdc.joined_in_parts(latest, 'latest', 'shuffle_hash' if cdc.has_few_changes(plan) else 'merge') }}

) as latest
    on
        current._change.row_key = latest._change.row_key
    {%- if places %}
        and (
            current.{{ places.column }} is null
            {%- for condition in places.conditions %}
            or current.{{ places.column }} {{ condition }}
            {%- endfor %}
        )
    {%- endif %}
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
                columns,
                "transform(array(" ~ cdc.quoted_list(columns) ~ "), column_name -> case when "
                ~ cdc.newest_in_latest('column_name') ~ " > " ~ cdc.newest_in_current('column_name') ~ " then "
                ~ cdc.newest_in_latest('column_name') ~ " when latest._delete_sequence > " ~ cdc.newest_in_current('column_name')
                ~ " then " ~ cdc.lowest_sequence() ~ " else " ~ cdc.newest_in_current('column_name') ~ " end)",
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


{#- What is merged into a large table. Spark takes the keys of such a table for little by the bytes of its files, and would give each task
    all of them: those of 5 million rows are 1.2 GB in memory, of 26 MB in files. So the rows to merge say how they are joined, which
    Delta keeps: by shuffle_hash each task holds a part of them, by merge it sorts a part. -#}
{% macro joined_in_parts(rows, name, how) -%}
    {%- if model.config.meta.large -%}
select /*+ {{ how }}({{ name }}) */ *
from (

{{ rows }}

) as {{ name }}
    {%- else -%}
{{ rows }}
    {%- endif -%}
{%- endmacro %}


{#- Which change carried the value of a column (an expression for its name): of the new changes, of gold's row. -#}
{% macro newest_in_latest(column) -%}
coalesce(latest._column_sequences[{{ column }}], latest._base_sequence)
{%- endmacro %}


{% macro newest_in_current(column) -%}
coalesce(current._change.column_sequences[{{ column }}], current._change.sequence)
{%- endmacro %}
