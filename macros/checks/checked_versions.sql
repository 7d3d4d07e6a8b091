{#- Tests look at what is new since the mark `#tests`, which mark_checked sets once for all of them, so that they cost what
    changed. `--vars 'check_all_history: true'` lets them look at everything; so does a silver table that was rebuilt. -#}

{#- The bronze version up to which everything was checked before; -1 where nothing was. A test that asks looks at nothing
    older, and so resolves no finding of what is older: its window is noted for silver.findings. -#}
{% macro checked_version() -%}
    {%- set version = cdc._checked_version() -%}
    {%- if execute and model is defined and cdc.lakehouse_run() -%}
        {%- do cdc.lakehouse_run().looked_from.update({model.unique_id: version}) -%}
    {%- endif -%}
    {{ return(version) }}
{%- endmacro %}


{% macro _checked_version() -%}
    {%- set mark = cdc.lakehouse_run().get('applied', {}).get('#thorough' if cdc.is_thorough() else '#tests') -%}
    {%- set builds = mark.built_by.split(' ') if mark else [] -%}
    {%- if mark and cdc.silver_builds() | reject('in', builds) | list == [] and not var('check_all_history', false) -%}
        {{ return(mark.version) }}
    {%- endif -%}
    {{ return(-1) }}
{%- endmacro %}


{#- Does the test at work look at what came since it was last run with `--vars 'thorough: true'`, and compare this with all earlier
    changes? Only tests with the tag `thorough` do; without the variable they compare what is new with the last changes alone. -#}
{% macro is_thorough() -%}
    {{ return(var('thorough', false) and model is defined and 'thorough' in model.config.get('tags', [])) }}
{%- endmacro %}


{#- A condition on the changes that a test with the tag `thorough` reads: the unchecked ones, and of the others at least so many of the
    last ones as the variable `compared_changes` says, so that it costs what is new and not what is old. -#}
{% macro is_compared(relation=none) -%}
    {%- set oldest = cdc._oldest_compared() -%}
    {%- if oldest > 0 -%}
        {%- do cdc.lakehouse_run().compared_with_some.append(model.unique_id) -%}
    {%- endif -%}
    {{ (relation ~ '.' if relation) ~ 'bronze_version >= ' ~ oldest if oldest > 0 else 'true' }}
{%- endmacro %}


{#- The bronze version from which on changes are compared; 0: all are. -#}
{% macro _oldest_compared() -%}
    {%- set checked = cdc.checked_version() -%}
    {%- if not execute or not cdc.lakehouse_run() or checked < 0 or cdc.is_thorough() -%}
        {{ return(0) }}
    {%- endif -%}
    {%- set known = cdc.lakehouse_run().known -%}
    {%- if 'oldest compared' not in known -%}
        {%- set query -%}
            with of_versions as (

                select
                    bronze_version,
                    sum(count(*)) over (order by bronze_version desc) as changes
                from {{ ref('cdc_changes') }}
                where bronze_version <= {{ checked }}
                group by bronze_version

            )

            select coalesce(max(bronze_version), 0)
            from of_versions
            where changes >= {{ var('compared_changes', 1000000) | int }}
        {%- endset -%}
        {%- do known.update({'oldest compared': run_query(query).rows[0][0] | int}) -%}
    {%- endif -%}
    {{ return(known['oldest compared']) }}
{%- endmacro %}


{#- The builds of the silver tables, each as format:build. -#}
{% macro silver_builds() -%}
    {%- set builds = [] -%}
    {%- for format in cdc.formats_in_use() -%}
        {%- do builds.append(format ~ ':' ~ cdc.lakehouse_run().get('applied', {}).get(format ~ '_changes', {}).get('built_by', '')) -%}
    {%- endfor -%}
    {{ return(builds) }}
{%- endmacro %}


{#- A silver table was built for the first time: all of its rows are newer than what was checked before, which stays checked. A table
    that was there when that was checked has been rebuilt: then everything is unchecked again. -#}
{% macro note_first_build(version) -%}
    {%- set format = model.name.removesuffix('_changes') -%}
    {%- for name in ('#tests', '#thorough') -%}
        {%- set mark = cdc.lakehouse_run().applied.get(name) -%}
        {%- if mark and mark.version < version and (' ' ~ format ~ ':') not in ' ' ~ mark.built_by -%}
            {%- do cdc.remember(name, mark.version, mark.built_by ~ ' ' ~ format ~ ':' ~ invocation_id) -%}
        {%- endif -%}
    {%- endfor -%}
{%- endmacro %}


{#- The version that silver holds: what arrived later is no loss. -#}
{% macro silver_version() -%}
    {%- set versions = [] -%}
    {%- for format in cdc.formats_in_use() -%}
        {%- do versions.append(cdc.lakehouse_run().get('applied', {}).get(format ~ '_changes', {}).get('version', -1)) -%}
    {%- endfor -%}
    {{ return(versions | min) }}
{%- endmacro %}


{#- on-run-end of a run that tested: remember how far, unless a record is missing or a key is wrong, which is reported until mended, or a
    test did not look, since its table could not be built or it failed itself. -#}
{% macro mark_checked() -%}
    {%- set statuses = [] -%}
    {%- for result in results if result.node.config.meta.get('cdc', {}).get('findings') -%}
        {%- do statuses.append((result.node.name, result.status | string)) -%}
    {%- endfor -%}
    {%- set waiting = statuses | selectattr(1, 'in', ['skipped', 'error']) | list -%}
    {%- if ('every_record_is_in_silver', 'pass') in statuses and ('key_is_the_sources_key', 'fail') not in statuses and not waiting -%}
        {%- set mark = {'version': cdc.silver_version(), 'built_by': cdc.silver_builds() | join(' ')} -%}
        {%- if cdc.lakehouse_run().applied.get('#tests') != mark -%}
            {%- do cdc.lakehouse_run().applied_now.update({'#tests': mark}) -%}
        {%- endif -%}
    {%- endif -%}
{%- endmacro %}


{#- on-run-end: tests look at what comes from now on, also in a table that was built from all changes after they last looked. -#}
{% macro say_what_is_unchecked() -%}
    {%- set run = cdc.lakehouse_run() -%}
    {%- set names = [] -%}
    {%- for name, plan in run.gold_plans.items() if plan.mode == 'build' -%}
        {%- set mark = run.applied_before.get(name) -%}
        {%- if not mark or cdc.build_of_mark(mark) != plan.built_by -%}
            {%- do names.append(name) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if names and cdc._checked_version() >= 0 -%}
        {%- do log(
            'Built from all changes: ' ~ names | sort | join(', ') ~ ". Tests look at changes that come from now on. Let them look at the earlier ones "
            ~ "once: dbt test --vars 'check_all_history: true'", info=true
        ) -%}
    {%- endif -%}
{%- endmacro %}


{#- on-run-end of a run with `--vars 'thorough: true'` in which all shipped tests with this tag have run: remember how far. -#}
{% macro mark_thorough() -%}
    {%- set missing = [] -%}
    {%- for node in graph.nodes.values() if 'thorough' in node.config.tags and node.package_name == 'cdc' -%}
        {%- do missing.append(node.unique_id) -%}
    {%- endfor -%}
    {%- for result in results if result.node.unique_id in missing and result.status | string in ['pass', 'warn', 'fail'] -%}
        {%- do missing.remove(result.node.unique_id) -%}
    {%- endfor -%}
    {%- if missing == [] -%}
        {%- do cdc.remember('#thorough', cdc.silver_version(), cdc.silver_builds() | join(' ')) -%}
    {%- endif -%}
{%- endmacro %}


{#- The bronze records that came after a version and that silver should hold. -#}
{% macro unchecked_records(checked) -%}
    {%- set messages = source('bronze', 'messages') -%}
    {%- if not execute or not cdc.lakehouse_run() -%}
        {{ messages }}
    {%- elif checked < 0 -%}
        {{ messages }} version as of {{ cdc.silver_version() }}
    {%- elif checked < cdc.silver_version() -%}
        {{ cdc.new_in_bronze(checked + 1, cdc.silver_version()) }}
    {%- else -%}
        (select * from {{ messages }} where false)
    {%- endif -%}
{%- endmacro %}


{#- Has silver anything that was not checked yet? If not, the tests of changes need not ask Spark to look. Outside a run, as
    in `dbt show --select order_is_decided`, they look at everything. -#}
{% macro has_unchecked_changes() -%}
    {{ return(not execute or not cdc.lakehouse_run() or cdc.checked_version() < cdc.silver_version()) }}
{%- endmacro %}


{#- The unchecked changes of a tested gold table: those of its rows, and what cleared it. -#}
{% macro unchecked_changes(relation) -%}
    {%- set declaration = cdc.gold_declaration(relation) -%}
    select *
        from {{ cdc.silver_of(declaration) }} as changes
        where
            {{ cdc.of_this_table('changes', declaration) }}
            and (
                operation in ('insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before')
                or {{ cdc.clears_the_table('changes', declaration) }}
            )
            and {{ cdc.is_unchecked() }}
{%- endmacro %}


{#- Rows of silver that are newer than the mark of the tests. -#}
{% macro is_unchecked(relation=none) -%}
    {{ relation ~ '.' if relation }}bronze_version > {{ cdc.checked_version() }}
{%- endmacro %}
