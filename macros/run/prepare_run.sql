{#- on-run-start: registers bronze, and asks once for all models what is new. Models find the answer in
    lakehouse_run() without a statement of their own. -#}

{% macro prepare_run() -%}
    {%- if execute and flags.WHICH in ['run', 'build', 'test'] -%}
        {%- do cdc.refuse_ansi() -%}
        {%- do cdc.register_bronze() -%}
        {%- do cdc.generate_code(false) -%}
        {%- do cdc.refuse_changed_feeds() -%}
        {%- do cdc.warn_of_unread_tables() -%}
        {%- set applied = cdc.applied_marks() -%}
        {#- with the versions before it: one question, in place of a second one of how far back the log reaches -#}
        {%- set versions = run_query(
            "describe history " ~ source('bronze', 'messages') ~ " limit 20"
        ).columns['version'].values() -%}
        {%- do graph.update({'lakehouse': {
            'bronze_version': versions | max | int, 'oldest_version': versions | min | int,
            'applied': applied, 'applied_before': dict(applied), 'applied_now': {},
            'feed_news': {}, 'table_news': {}, 'gold_plans': {}, 'declared': {}, 'built': {},
            'known': {}
        }}) -%}
        {%- do cdc.refuse_older_bronze() -%}
        {%- do cdc.choose_code_generation() -%}
        {%- if flags.WHICH in ['run', 'build'] -%}
            {%- do cdc.ask_feed_news() -%}
            {%- do cdc.prepare_rebuilds() -%}
        {%- endif -%}
    {%- endif -%}
{%- endmacro %}


{#- What prepare_run found out; empty where dbt ran no hooks (compile, show, docs). Macros that only a run calls, for each of
    hundreds of tables, take it from the graph themselves. -#}
{% macro lakehouse_run() -%}
    {{ return(graph.get('lakehouse', {})) }}
{%- endmacro %}


{#- How far the model has come, as {version, built_by}; none where it has to be built anew. -#}
{% macro mark_of_model() -%}
    {%- set mark = cdc.lakehouse_run().get('applied', {}).get(model.name) -%}
    {{ return(none if not mark or should_full_refresh() or load_relation(this) is none else mark) }}
{%- endmacro %}


{% macro applied_versions() -%}
    {{ return(generate_schema_name('silver', none) ~ '.applied_versions') }}
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


{#- dbt switches ANSI mode off in its own Spark; a server has to be told by the profile. -#}
{% macro refuse_ansi() -%}
    {%- if target.name != 'embedded' and run_query('set spark.sql.ansi.enabled').rows[0][1] | lower == 'true' -%}
        {{ exceptions.raise_compiler_error(
            'Spark works in ANSI mode, in which one value that does not fit its type stops the whole table. Set '
            ~ 'spark.sql.ansi.enabled to false, as the target `cluster` in profiles/profiles.yml does.'
        ) }}
    {%- endif -%}
{%- endmacro %}


{#- Makes known to Spark's catalogue what it lacks; dbt has listed silver already. -#}
{% macro register_bronze() -%}
    {%- set bronze = source('bronze', 'messages').schema -%}
    {%- set missing = [] -%}
    {%- for table in ['messages', 'feeds', 'topics', 'gaps', 'files'] if load_relation(source('bronze', table)) is none -%}
        {%- do missing.append(table) -%}
    {%- endfor -%}
    {%- if missing -%}
        {%- do run_query('create schema if not exists ' ~ bronze) -%}
    {%- endif -%}
    {%- set folder = cdc.absolute_path(var('bronze_path')) if missing -%}
    {%- if 'messages' in missing -%}
        {%- do cdc.refuse_missing_bronze(folder) -%}
    {%- endif -%}
    {%- for table in missing -%}
        {%- do run_query(
            'create table if not exists ' ~ bronze ~ '.' ~ table
            ~ ' using delta location ' ~ cdc.quoted(folder ~ '/' ~ table)
        ) -%}
    {%- endfor -%}
    {%- set silver = generate_schema_name('silver', none) -%}
    {%- if load_relation(api.Relation.create(schema=silver, identifier='applied_versions')) is none -%}
        {%- do run_query('create schema if not exists ' ~ silver) -%}
        {%- do run_query(
            'create table if not exists ' ~ cdc.applied_versions() ~ ' (model string, bronze_version bigint, built_by string) using delta'
        ) -%}
    {%- endif -%}
{%- endmacro %}


{#- Spark would make an empty table where there is none. Its refusal cannot be caught: say beforehand what it means. -#}
{% macro refuse_missing_bronze(folder) -%}
    {%- do log(
        'First run here: registering the tables of ' ~ folder ~ '. If there are none, nothing has been loaded yet: run'
        ~ ' `python -m ingestion load` first.', info=true
    ) -%}
    {%- do run_query('describe delta.' ~ '`' ~ folder ~ '/messages`') -%}
{%- endmacro %}


{#- The catalogue wants an absolute path; only Spark knows what a relative one is relative to. -#}
{% macro absolute_path(path) -%}
    {%- if path.startswith('/') or '://' in path -%}
        {{ return(path) }}
    {%- endif -%}
    {%- set folder = run_query("select java_method('java.lang.System', 'getProperty', 'user.dir')").rows[0][0] -%}
    {{ return(folder ~ '/' ~ path) }}
{%- endmacro %}


{#- Which feeds have records in bronze that some silver model has not read. One statement, over one column. -#}
{% macro ask_feed_news() -%}
    {%- set run = cdc.lakehouse_run() -%}
    {%- set marks = [] -%}
    {#- what is made from silver may be behind it: a run can end between them -#}
    {%- set models = ['cdc_schemas', 'cdc_order_marks'] -%}
    {%- for format in cdc.formats_in_use() -%}
        {%- do models.append(format ~ '_changes') -%}
    {%- endfor -%}
    {%- for name in models -%}
        {%- set mark = run.applied.get(name) -%}
        {%- if mark -%}{%- do marks.append(mark.version) -%}{%- endif -%}
    {%- endfor -%}
    {%- if marks and marks | min < run.bronze_version -%}
        {%- do cdc.refuse_lost_versions(marks | min + 1) -%}
        {%- set news = run_query(
            'select feed, max(_commit_version) from ' ~ cdc.new_in_bronze(marks | min + 1, run.bronze_version) ~ ' group by feed'
        ) -%}
        {%- for row in news -%}
            {%- do run.feed_news.update({row[0]: row[1] | int}) -%}
        {%- endfor -%}
    {%- endif -%}
{%- endmacro %}


{#- Bronze keeps its log for 90 days; a lakehouse that did not run for longer cannot ask what is new. -#}
{% macro refuse_lost_versions(version) -%}
    {%- set run = cdc.lakehouse_run() -%}
    {%- if version < run.oldest_version -%}
        {%- set oldest = run_query(
            'describe history ' ~ source('bronze', 'messages') ~ ' limit ' ~ (run.bronze_version - version + 1)
        ).columns['version'].values() | min | int -%}
        {%- if oldest > version -%}
            {{ exceptions.raise_compiler_error(
                'Bronze no longer tells what came with its version ' ~ version ~ ' (its log begins with ' ~ oldest
                ~ '). All its records are still there: run `dbt build --full-refresh` once.'
            ) }}
        {%- endif -%}
    {%- endif -%}
{%- endmacro %}


{#- Bronze only grows: fewer versions than silver has read are another bronze, of which nothing would seem new. -#}
{% macro refuse_older_bronze() -%}
    {%- set run = cdc.lakehouse_run() -%}
    {%- for name, mark in run.applied.items()
        if mark.version > run.bronze_version and not name.startswith('#') and not flags.FULL_REFRESH
    -%}
        {{ exceptions.raise_compiler_error(
            'Bronze ends with its version ' ~ run.bronze_version ~ ', but ' ~ name ~ ' has read version ' ~ mark.version
            ~ ': bronze was made anew, or put back from an older copy. Put back the newer one, or make silver and gold from this one: '
            ~ '`dbt build --full-refresh`, which refuses where records would be lost.'
        ) }}
    {%- endfor -%}
{%- endmacro %}


{#- The settings that records landed with must be those of today; the loader refuses as well. -#}
{% macro refuse_changed_feeds() -%}
    {%- set free = ['topics', 'topic_pattern', 'files', 'lines', 'starting_offsets', 'max_offsets_per_trigger', 'kafka', 'source'] -%}
    {%- set landed = run_query(
        'select feed, max_by(settings, recorded_at) from ' ~ source('bronze', 'feeds') ~ ' group by feed'
    ) -%}
    {%- for row in landed if row[0] in var('feeds') and row[1] -%}
        {%- set before = fromjson(row[1]) -%}
        {#- 13 is a number in YAML and a text in what the loader recorded -#}
        {%- for name, value in cdc.feed_settings(row[0]).items()
            if name not in free and before.get(name) != value and before.get(name) | string != value | string
        -%}
            {{ exceptions.raise_compiler_error(
                'Feed ' ~ row[0] ~ ': ' ~ name ~ ' was ' ~ before.get(name, 'not set') ~ ' when its records landed and is '
                ~ value ~ ' now. Silver and gold of this feed must be rebuilt: run `python -m ingestion rebuild '
                ~ row[0] ~ '`.'
            ) }}
        {%- endfor -%}
        {%- for name in before if name not in ['input', 'lines'] and name not in cdc.feed_settings(row[0]) -%}
            {{ exceptions.raise_compiler_error(
                'Feed ' ~ row[0] ~ ': ' ~ name ~ ' was ' ~ before[name] ~ ' when its records landed and is not set now.'
                ~ ' Silver and gold of this feed must be rebuilt: run `python -m ingestion rebuild ' ~ row[0] ~ '`.'
            ) }}
        {%- endfor -%}
    {%- endfor -%}
{%- endmacro %}


{#- on-run-end: one commit that keeps how far each model has come. Lost with a killed run, it only costs
    that the next run reads a little again: every step repeats safely. -#}
{% macro finish_run() -%}
    {%- set run = cdc.lakehouse_run() -%}
    {%- if execute and run -%}
        {%- do cdc.mark_checked() -%}
        {%- if flags.WHICH in ['run', 'build'] -%}
            {%- do cdc.renew_misfits() -%}
        {%- endif -%}
    {%- endif -%}
    {%- if execute and run and run.applied_now -%}
        {%- set found = cdc.applied_marks() -%}
        {%- if found != run.applied_before -%}
            {%- do cdc.refuse_doubtful_tables(found) -%}
        {%- else -%}
            {%- do run.applied.update(run.applied_now) -%}
            insert overwrite {{ cdc.applied_versions() }} values
            {%- for model, mark in run.applied.items() %}
            ({{ cdc.quoted(model) }}, {{ mark.version }}, {{ cdc.quoted(mark.built_by) }}){{ ',' if not loop.last }}
            {%- endfor %}
        {%- endif -%}
    {%- endif -%}
{%- endmacro %}


{#- Remembers that a model holds everything up to the run's bronze version; finish_run writes it. -#}
{% macro mark_applied(version, built_by) -%}
    {%- do cdc.remember(model.name, version, built_by) -%}
{%- endmacro %}


{#- Keeps a mark of this name for later runs: of a model, or with a # in front of something else that they need not ask again. -#}
{% macro remember(name, version, built_by) -%}
    {%- set run = graph.lakehouse -%}
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


{#- The model's table has new rows: what was kept of it, under its name, is no longer right. -#}
{% macro forget_remembered() -%}
    {%- set run = graph.lakehouse -%}
    {%- do run.applied.pop('#' ~ model.name, none) -%}
    {%- do run.applied_now.pop('#' ~ model.name, none) -%}
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
    {{ return((run.feed_news.values() | list + [-1]) | max <= run.applied.get(name, {}).get('version', -1)) }}
{%- endmacro %}


{#- These models count as never built from here on, in this run as in the next. -#}
{% macro forget_marks(models) -%}
    {%- for name in models -%}
        {%- do cdc.lakehouse_run().get('applied', {}).pop(name, none) -%}
        {%- do cdc.lakehouse_run().get('applied_before', {}).pop(name, none) -%}
    {%- endfor -%}
    {%- do run_query('delete from ' ~ cdc.applied_versions() ~ ' where model in (' ~ cdc.quoted_list(models) ~ ')') -%}
{%- endmacro %}
