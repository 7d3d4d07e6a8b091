{#- on-run-start: registers bronze, and asks once for all models what is new. Models find the answer in
    lakehouse_run() without a statement of their own. -#}

{% macro prepare_run() -%}
    {%- if execute and flags.WHICH in ['run', 'build', 'test'] and cdc.has_work() -%}
        {%- do cdc.refuse_part_of_input() -%}
        {%- do cdc.refuse_ansi() -%}
        {%- do cdc.refuse_shared_names() -%}
        {%- do cdc.refuse_cut_overs_without_times() -%}
        {%- set is_first_run = load_relation(cdc.applied_versions()) is none -%}
        {%- do cdc.register_bronze() -%}
        {%- do cdc.register_findings() -%}
        {%- do cdc.generate_code(false) -%}
        {%- do cdc.warn_of_unread_settings() -%}
        {%- set applied = {} if is_first_run else cdc.applied_marks() -%}
        {#- with the versions before it: one question, in place of a second one of how far back the log reaches -#}
        {%- set history = cdc.history_of_bronze(20) -%}
        {%- set versions = history.columns['version'].values() -%}
        {%- do cdc.begin_run(versions | max | int, versions | min | int, applied) -%}
        {%- do cdc.refuse_changed_feeds() -%}
        {%- do cdc.refuse_older_bronze() -%}
        {%- do cdc.refuse_other_bronze(history) -%}
        {%- do cdc.refuse_forgotten_feeds(applied) -%}
        {%- do cdc.choose_code_generation() -%}
        {%- if flags.WHICH in ['run', 'build'] -%}
            {%- do cdc.ask_unread_feeds() -%}
        {%- endif -%}
        {%- do cdc.count_records() -%}
        {%- if flags.WHICH in ['run', 'build'] -%}
            {%- do cdc.prepare_rebuilds() -%}
            {%- do cdc.forget_earlier_builders() -%}
        {%- endif -%}
    {%- endif -%}
{%- endmacro %}


{#- Is one of our models or tests selected, in this project or in one that installs it, and is there a feed? -#}
{% macro has_work() -%}
    {%- set ours = [] -%}
    {%- for id in selected_resources -%}
        {%- set node = graph.nodes.get(id, {}) -%}
        {%- if node.package_name == 'cdc' or 'macro.cdc.' in node.get('depends_on', {}).get('macros', []) | join(' ') -%}
            {%- do ours.append(id) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if ours and not cdc.feeds() -%}
        {%- do log('No feed is configured: add one under vars.feeds of dbt_project.yml (docs/feeds.md).', info=true) -%}
    {%- endif -%}
    {{ return(ours != [] and cdc.feeds() != {}) }}
{%- endmacro %}


{#- A feed that is back after forget_feed, or after runs without it: its format's table goes on with new records, and would lack
    others. -#}
{% macro refuse_forgotten_feeds(applied) -%}
    {%- for feed, settings in cdc.feeds().items() if '#forgotten ' ~ feed in applied and settings.format ~ '_changes' in applied -%}
        {{ exceptions.raise_compiler_error(
            'Feed ' ~ feed ~ ' is in dbt_project.yml again, but silver lacks records of it: runs without the feed have passed over them, or '
            ~ 'forget_feed has removed their rows: run `python -m ingestion reparse ' ~ feed ~ '`, which reads all of them.'
        ) }}
    {%- endfor -%}
{%- endmacro %}


{#- What dbt leaves out of a model's input would count as read, and never come to its table. -#}
{% macro refuse_part_of_input() -%}
    {%- for flag in ['EMPTY', 'SAMPLE'] if flags[flag] -%}
        {{ exceptions.raise_compiler_error(
            'dbt works with --' ~ flag | lower ~ ', and would take changes that it leaves out for read. Leave the flag out, or these models:'
            ~ ' --exclude package:cdc and the gold models. `dbt compile` shows all SQL and changes nothing.'
        ) }}
    {%- endfor -%}
{%- endmacro %}


{#- dbt switches ANSI mode off in its own Spark; for a server the profile must do it. -#}
{% macro refuse_ansi() -%}
    {%- if target.name != 'embedded' and run_query('set spark.sql.ansi.enabled').rows[0][1] | lower == 'true' -%}
        {{ exceptions.raise_compiler_error(
            'Spark works in ANSI mode, in which one value that does not fit its type stops the whole table. Set '
            ~ 'spark.sql.ansi.enabled to false, as the target `cluster` in profiles/profiles.yml does.'
        ) }}
    {%- endif -%}
{%- endmacro %}


{#- Which feeds have records in bronze that some silver model has not read. One statement, over one column. -#}
{% macro ask_unread_feeds() -%}
    {%- set run = cdc.lakehouse_run() -%}
    {%- set marks = [] -%}
    {#- what is made from silver may have come less far: a run can end between them -#}
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
        {%- set counted = cdc.known_records().version -%}
        {%- set unread = run_query(
            'select feed, max(_commit_version), count_if(_commit_version > ' ~ counted ~ ') from '
            ~ cdc.new_in_bronze(marks | min + 1, run.bronze_version) ~ ' group by feed'
        ) -%}
        {%- for row in unread -%}
            {%- do run.unread_feeds.update({row[0]: row[1] | int}) -%}
        {%- endfor -%}
        {%- if marks | min <= counted -%}
            {%- do run.update({'new_records': unread.rows | map(attribute=2) | map('int') | sum}) -%}
        {%- endif -%}
        {%- do cdc.remember_absent_feeds(cdc.feeds_passed_over()) -%}
    {%- endif -%}
{%- endmacro %}


{#- Bronze keeps its log for 90 days; a lakehouse that did not run for longer cannot ask what is new. -#}
{% macro refuse_lost_versions(version) -%}
    {%- set run = cdc.lakehouse_run() -%}
    {%- if version < run.oldest_version -%}
        {%- set oldest = cdc.history_of_bronze(run.bronze_version - version + 1).columns['version'].values() | min | int -%}
        {%- if oldest > version -%}
            {{ exceptions.raise_compiler_error(
                'Bronze no longer shows what came with its version ' ~ version ~ ' (its log begins with ' ~ oldest
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
            ~ ': bronze was created again, or put back from an older copy. Put back the newer one, or make silver and gold from this one: '
            ~ '`dbt build --full-refresh`, which refuses where records would be lost.'
        ) }}
    {%- endfor -%}
{%- endmacro %}


{#- One that has grown as far as silver has read is known by its loads: it has another one at that version. Loads have said which they are since
    a release of the loader; where the log does not say, nothing is compared. -#}
{% macro refuse_other_bronze(history) -%}
    {%- set run = cdc.lakehouse_run() -%}
    {%- set mark = run.applied.get('#bronze') -%}
    {#- a full refresh of some tables goes on with an older one: the others still are of the newer one -#}
    {%- set is_other = mark and mark.version > run.bronze_version -%}
    {%- if mark and not is_other -%}
        {%- if mark.version <= run.oldest_version -%}
            {%- set history = cdc.history_of_bronze(run.bronze_version - mark.version + 20) -%}
            {%- do run.update({'oldest_version': history.columns['version'].values() | min | int}) -%}
        {%- endif -%}
        {%- set load = cdc.load_of_version(history, mark.version) -%}
        {%- set is_other = load and load != mark.built_by -%}
        {%- if is_other and not flags.FULL_REFRESH -%}
            {{ exceptions.raise_compiler_error(
                'Bronze is another one than silver was made from: its version ' ~ mark.version ~ ' ends with the load ' ~ load ~ ', and it was '
                ~ mark.built_by ~ '. Bronze was put back from an older copy, or created again. Put back the one that silver knows, or make silver '
                ~ 'and gold from this one: `dbt build --full-refresh`, which refuses where records would be lost.'
            ) }}
        {%- endif -%}
    {%- endif -%}
    {%- if not is_other or cdc.selected_change_tables() | length == cdc.formats_in_use() | length -%}
        {%- set newest = cdc.load_of_version(history, run.bronze_version) -%}
        {%- if newest -%}{%- do cdc.remember('#bronze', run.bronze_version, newest) -%}{%- endif -%}
    {%- endif -%}
{%- endmacro %}


{#- The newest versions of bronze, as Delta lists them. -#}
{% macro history_of_bronze(most) -%}
    {{ return(run_query('describe history ' ~ source('bronze', 'messages') ~ ' limit ' ~ most)) }}
{%- endmacro %}


{#- The load that wrote the version, or the newest one before it; none where no version says so. -#}
{% macro load_of_version(history, version) -%}
    {%- for row in history.rows if row['version'] | int <= version and row['userMetadata'] -%}
        {{ return(row['userMetadata']) }}
    {%- endfor -%}
{%- endmacro %}


{#- The settings that records landed with must be those of today; the loader refuses as well. -#}
{% macro refuse_changed_feeds() -%}
    {%- set free = cdc.settings_without_meaning() -%}
    {%- for row in cdc.landed_feeds() if row[0] in cdc.feeds() and row[1] -%}
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
