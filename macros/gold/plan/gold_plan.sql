{#- What this run has to do for the model, as a dict:
    mode            build, merge or nothing
    from_version    the bronze version up to which the model has read; none for a build
    version         that up to which this run reads
    built_by        what the table is made with: another text than the mark's rebuilds it
    columns         the declared ones and those that gold adds by itself
    new_changes     counts of what is new, by kind (new_changes_of_table)
    by_column       rows are put together column by column, as images lack some
    moves           a row may have moved from one key to another without all of its values
    rebuilds_moved  in a merge: rows of moved keys are made again from all of their changes
    has_ranges      epochs come from silver.sequence_ranges
    cases           the rarer cases that the table has (known_of_table) -#}
{% macro gold_plan() -%}
    {%- if not model.config.meta.columns -%}
        {%- do cdc.complete_declaration(model) -%}
    {%- endif -%}
    {%- set run = cdc.lakehouse_run() -%}
    {%- if model.name in run.get('gold_plans', {}) -%}
        {{ return(run.gold_plans[model.name]) }}
    {%- endif -%}
    {%- set meta = model.config.meta -%}
    {%- set version = cdc.version_for_gold(meta) -%}
    {%- if version is none -%}
        {{ return({
            'mode': 'build', 'from_version': none, 'version': none, 'built_by': none, 'columns': meta.columns,
            'new_changes': {}, 'by_column': true, 'moves': true, 'rebuilds_moved': false, 'has_ranges': true, 'cases': none
        }) }}
    {%- endif -%}
    {%- set mark = cdc.mark_of_gold_model(model) -%}
    {%- set rebuild = not mark or should_full_refresh() or not cdc.is_built(this) -%}
    {%- set is_current = mark and mark.version >= version and not rebuild -%}
    {%- set new_changes = {} if is_current else cdc.new_changes_of_table(meta, -1 if rebuild else mark.version) -%}
    {%- set columns = meta.columns -%}
    {%- if meta.new_columns == 'add' and new_changes -%}
        {%- set before = {} if rebuild else cdc.added_columns(meta, this) -%}
        {%- set added = cdc.with_columns_of_new_changes(meta, new_changes, before) -%}
        {%- if added != before and not rebuild -%}
            {%- set all_new_changes = cdc.new_changes_of_table(meta, -1) -%}
            {%- set added = cdc.with_columns_of_new_changes(meta, all_new_changes, {}) -%}
            {%- if added != before -%}
                {%- set rebuild = true -%}
                {%- set new_changes = all_new_changes -%}
            {%- endif -%}
        {%- endif -%}
        {%- set columns = dict(meta.columns, **added) -%}
    {%- endif -%}
    {%- if not rebuild and meta.key and new_changes.get('cleared_partitions', 0) > 0 and cdc.has_keys_in_several_partitions() -%}
        {%- set rebuild = true -%}
        {%- set new_changes = cdc.new_changes_of_table(meta, -1) -%}
    {%- endif -%}
    {%- set plan = {
        'mode': 'nothing' if not rebuild and not new_changes else 'build' if rebuild or not meta.key else 'merge',
        'from_version': none if rebuild or not meta.key else mark.version,
        'version': version,
        'built_by': cdc.build_of_gold_model(model, version),
        'columns': columns,
        'new_changes': new_changes,
        'by_column': new_changes.get('partials', 0) > 0,
        'moves': new_changes.get('moves', 0) > 0,
        'rebuilds_moved': false,
        'has_ranges': new_changes != {} and cdc.has_ranges(meta),
        'cases': cdc.cases_of_mark(mark) if mark else none
    } -%}
    {%- set known = cdc.known_of_table(plan) if plan.mode == 'merge' else [] -%}
    {%- if plan.mode == 'merge' -%}
        {%- if 'moved keys' in known and not plan.moves -%}
            {%- do plan.update({
                'moves': new_changes.truncates > 0 or plan.has_ranges or cdc.has_older_changes_of_moved_keys(plan)
            }) -%}
        {%- endif -%}
        {%- do plan.update({
            'by_column': plan.by_column or plan.moves or 'partial rows' in known, 'rebuilds_moved': plan.moves
        }) -%}
    {%- endif -%}
    {%- if plan.mode != 'nothing' -%}
        {%- set cases = ['partial rows'] if plan.by_column or plan.moves else [] -%}
        {%- if 'moved keys' in known or new_changes.get('moves', 0) > 0 -%}
            {%- do cases.append('moved keys') -%}
        {%- endif -%}
        {%- do plan.update({'cases': cases}) -%}
    {%- endif -%}
    {%- do run.gold_plans.update({model.name: plan}) -%}
    {{ return(plan) }}
{%- endmacro %}


{#- Does a table of gold exist? Asked once a run: load_relation() searches all relations for each. -#}
{% macro is_built(table) -%}
    {%- set run = cdc.lakehouse_run() -%}
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


{% macro refuse_without_silver(plan) -%}
    {%- if plan.version is none -%}
        {{ exceptions.raise_compiler_error(
            'Gold is made from silver, which was not built yet: run `dbt run` once without a selection, or `dbt build`.'
        ) }}
    {%- endif -%}
{%- endmacro %}


{#- Which of the rarer cases the table has: rows with values of several ages, old keys under which a move left values. Asked only for
    what the table may have by its mark, and for such rows only where no new change is partial: otherwise there are some anyway. -#}
{% macro known_of_table(plan) -%}
    {%- set questions = [] -%}
    {%- if not plan.by_column and (plan.cases is none or 'partial rows' in plan.cases) -%}
        {%- do questions.append(
            "(select 'partial rows' as known from " ~ this ~ " where cardinality(_change.column_sequences) > 0 limit 1)"
        ) -%}
    {%- endif -%}
    {%- if plan.cases is none or 'moved keys' in plan.cases -%}
        {%- do questions.append(
            "(select 'moved keys' as known from " ~ cdc.state_relation() ~ " where moved_sequence.epoch is not null limit 1)"
        ) -%}
    {%- endif -%}
    {{ return(run_query(questions | join(' union all ')).columns[0].values() | list if questions else []) }}
{%- endmacro %}


{% macro has_older_changes_of_moved_keys(plan) -%}
    {{ return(run_query(
        'with changes_of_table as (' ~ cdc.changes_of_table(plan) ~ ')'
        ~ ' select 1 from changes_of_table as changes inner join ' ~ cdc.state_relation() ~ ' as moved'
        ~ ' on changes.row_key = moved.row_key and changes.sequence < moved.moved_sequence limit 1'
    ) | length > 0) }}
{%- endmacro %}


{#- After a TRUNCATE in one partition, a change in another may count again for such a key: gold has kept only what won. -#}
{% macro has_keys_in_several_partitions() -%}
    {{ return(run_query(
        'select 1 from ' ~ cdc.silver_of(model.config.meta) ~ ' as changes' ~ cdc.join_types_of_key('changes')
        ~ ' where ' ~ cdc.of_this_table('changes')
        ~ " and changes.order_scope = 'offset' and " ~ cdc.names_a_row('changes.row_key')
        ~ ' group by ' ~ cdc.gold_key('changes') ~ ' having count(distinct changes.topic, changes.partition) > 1 limit 1'
    ) | length > 0) }}
{%- endmacro %}
