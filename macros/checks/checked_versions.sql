{#- Tests look at what is new since they last passed, so that they cost what changed. `--vars 'check_all_history: true'`
    lets them look at everything; so does a silver table that was rebuilt. -#}

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


{#- on-run-end of a run that tested: remember how far, unless a record is missing or a key is wrong, which is reported until mended. -#}
{% macro mark_checked() -%}
    {%- set statuses = [] -%}
    {%- for result in results if result.node.name in ('every_record_is_in_silver', 'key_is_the_sources_key') -%}
        {%- do statuses.append((result.node.name, result.status | string)) -%}
    {%- endfor -%}
    {%- if ('every_record_is_in_silver', 'pass') in statuses and ('key_is_the_sources_key', 'fail') not in statuses -%}
        {%- set mark = {'version': cdc.silver_version(), 'built_by': cdc.silver_builds() | join(' ')} -%}
        {%- if cdc.lakehouse_run().applied.get('#tests') != mark -%}
            {%- do cdc.lakehouse_run().applied_now.update({'#tests': mark}) -%}
        {%- endif -%}
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
                or {{ cdc.empties_the_table('changes', declaration) }}
            )
            and {{ cdc.is_unchecked() }}
{%- endmacro %}


{#- Rows of silver that no test has looked at yet. -#}
{% macro is_unchecked(relation=none) -%}
    {{ relation ~ '.' if relation }}bronze_version > {{ cdc.checked_version() }}
{%- endmacro %}


{#- The gold tables as their models declare them: name, where their changes come from, key as the source names it. -#}
{% macro gold_tables() -%}
    {{ cdc.tables_of_models(cdc.gold_declarations()) }}
{%- endmacro %}


{#- The same of any models that read a source table, such as histories: `declarations` by the models' names. -#}
{% macro tables_of_models(declarations) -%}
    {%- set patterned = cdc.has_patterns() -%}
    {%- if declarations -%}
    values
    {%- for name, declared in declarations.items() %}
    (
        {{ cdc.quoted(name) }}, {{ cdc.quoted(cdc.feed_settings(declared.feed).format) }}, {{ cdc.quoted(declared.feed) }}, {{ cdc.quoted_or_null(declared.source_catalog) }},
        {%- for part in cdc.place_parts() %} {{ cdc.quoted_or_null(declared[part] if declared[part] is string) }},
        {%- endfor %}
        {%- if patterned %}
        {%- for part in cdc.place_parts() %} {{ cdc.quoted_or_null('^(' ~ declared[part].pattern ~ ')$' if declared[part] is mapping) }},
        {%- endfor %}
        {%- endif %}
        cast(array({{ cdc.quoted_list(cdc.source_key(declared)) }}) as array<string>)
    ){{ ',' if not loop.last }}
    {%- endfor %}
    as gold_tables (
        model_name, format, feed, catalog_name, database_name, schema_name, table_name,
        {{- ' database_pattern, schema_pattern, table_pattern,' if patterned }} key_columns
    )
    {%- else -%}
    (
        select
            '' as model_name,
            '' as format,
            '' as feed,
            '' as catalog_name,
            '' as database_name,
            '' as schema_name,
            '' as table_name,
            {%- if patterned %}
            {%- for part in cdc.place_parts() %}
            '' as {{ part }}_pattern,
            {%- endfor %}
            {%- endif %}
            array('') as key_columns
        where false
    ) as gold_tables
    {%- endif -%}
{%- endmacro %}


{#- The name of the gold model that reads the table of a row, by the row's feed and names of the table; NULL where none does.
    Of several the first, by their order in the project. -#}
{% macro gold_table_of(relation) -%}
    {%- set declarations = cdc.gold_declarations() -%}
    {%- if declarations -%}
    case
        {%- for name, declared in declarations.items() %}
        when
            {{ cdc.of_this_name(relation, declared) }}
            {%- if declared.source_catalog %}
            and {{ relation }}.catalog_name = {{ cdc.quoted(declared.source_catalog) }}
            {%- endif %}
            then {{ cdc.quoted(name) }}
        {%- endfor %}
    end
    {%- else -%}
    cast(null as string)
    {%- endif -%}
{%- endmacro %}


{#- The columns that each gold model declares, has added or leaves out on purpose, by their names in the messages; whether it
    adds others, and the names that these cannot have. -#}
{% macro gold_columns() -%}
    {%- set declarations = cdc.gold_declarations() -%}
    {%- if declarations -%}
    values
    {%- for node in cdc.gold_models() %}
    {%- set declared = node.config.meta %}
    {%- set columns = cdc.sources_of(cdc.column_sources(declared.columns)) | reject('in', cdc.shard_columns()) | list + (declared.left_out or []) %}
    {%- set added = cdc.added_columns(declared, cdc.gold_relation(node)).keys() | list if declared.new_columns == 'add' else [] %}
    (
        {{ cdc.quoted(node.name) }}, cast(array({{ cdc.quoted_list(columns + added) }}) as array<string>),
        {{ 'true' if declared.new_columns == 'add' else 'false' }}, array({{ cdc.quoted_list(cdc.taken_names(declared, added)) }})
    ){{ ',' if not loop.last }}
    {%- endfor %}
    as gold_columns (model_name, column_names, adds_new, taken_names)
    {%- else -%}
    (
        select
            '' as model_name,
            array('') as column_names,
            false as adds_new,
            array('') as taken_names
        where false
    ) as gold_columns
    {%- endif -%}
{%- endmacro %}


{#- Does a change that was not checked yet have the key and the position of one in another partition? The answer spares a look at
    the images of all silver. -#}
{% macro has_shared_positions() -%}
    {%- if not execute or not cdc.lakehouse_run() -%}
        {{ return(true) }}
    {%- endif -%}
    {%- set shared -%}
        select{{ cdc.broadcast_of_few_news() }} 1
        from {{ ref('cdc_changes') }} as changes
            inner join {{ ref('cdc_changes') }} as news
                on
                    {{ cdc.is_same_key('changes', 'news') }}
                    and {{ cdc.is_same_position('changes', 'news') }}
                    and {{ cdc.is_unchecked('news') }}
        where
            struct(changes.topic, changes.partition) <> struct(news.topic, news.partition)
            and {{ cdc.is_compared('changes') }}
            -- the other half of an update
            and changes.operation <> 'update_before'
            and news.operation <> 'update_before'
        limit 1
    {%- endset -%}
    {{ return(run_query(shared) | length > 0) }}
{%- endmacro %}


{#- What order_is_decided has to look at, by one question that reads no key and no image: the names of those of its findings
    that a table with unchecked changes can have at all. Most tables' rows never come from another key, full loads are rare, and
    a key or a position can be in several partitions only where its table is.
    `wanderers`: rows that offsets order, in several partitions; `half_emptied`: a table of several partitions, with a
    statement that clears one; `ties`: positions in several partitions; `moves`: rows that came from another key; `loads`: rows
    of a full load; `positions`: changes whose positions go up; `reloads`: a full load that began again by its marks, and
    behind which no change of the stream was checked. -#}
{% macro questions_of_order() -%}
    {%- set questions = ['wanderers', 'half_emptied', 'ties', 'moves', 'loads', 'positions', 'reloads'] -%}
    {%- if not execute or not cdc.lakehouse_run() -%}
        {{ return(questions) }}
    {%- endif -%}
    {%- if not cdc.has_unchecked_changes() -%}
        {{ return([]) }}
    {%- endif -%}
    {%- set query -%}
        with changes as (

            select
                feed,
                catalog_name,
                database_name,
                schema_name,
                table_name,
                struct(topic, partition) as place,
                row_key is not null as has_key,
                order_scope = 'offset' or size(change_sequence.position) = 0 as is_ordered_by_offset,
                size(change_sequence.position) > 0 and change_sequence.phase = 1 as is_placed,
                operation,
                order_scope,
                previous_row_key is not null as is_moved,
                {{ cdc.is_unchecked() }} as is_unchecked
            from {{ ref('cdc_changes') }}
            -- a full load of a table without a key may be one that was started again, too
            where
                ({{ cdc.is_of_order() }} or operation = 'snapshot')
                and {{ cdc.is_compared() }}

        ),

        loads_again as (

            select loads.*
            from {{ ref('cdc_sequence_ranges') }} as loads
                left anti join {{ ref('cdc_order_marks') }} as marks
                    on
                        {{ cdc.is_same_table('loads', 'marks') }}
                        and loads.topic = marks.topic
                        and loads.topic_generation = marks.topic_generation
                        and loads.partition = marks.partition
                        and loads.from_offset < marks.from_offset
                        and not marks.is_full_load
                        and not {{ cdc.is_unchecked('marks') }}
            where loads.starts_full_load

        ),

        of_tables as (

            select
                feed,
                database_name,
                schema_name,
                table_name,
                min(place) filter (where has_key and is_ordered_by_offset)
                < max(place) filter (where has_key and is_ordered_by_offset) as wanderers,
                min(place) < max(place) and count_if(not has_key and is_ordered_by_offset) > 0 as half_emptied,
                min(place) filter (where has_key and is_placed) < max(place) filter (where has_key and is_placed) as ties,
                count_if(is_moved and is_unchecked) > 0 as moves,
                count_if(operation = 'snapshot' and is_unchecked) > 0 as loads,
                count_if(
                    is_unchecked and is_placed and order_scope = 'position' and operation <> 'snapshot'
                ) > 0 as positions
            from changes
            group by feed, catalog_name, database_name, schema_name, table_name
            having count_if(is_unchecked) > 0

        ),

        asked as (

            select
                of_tables.*,
                loads_again.feed is not null as reloads
            from of_tables
                left join loads_again
                    on
                        {{ cdc.is_same_table('of_tables', 'loads_again') }}

        )

        select
            {%- for question in questions %}
            coalesce(bool_or({{ question }}), false) as {{ question }}{{ ',' if not loop.last }}
            {%- endfor %}
        from asked
    {%- endset -%}
    {%- set answers = run_query(query).rows[0] -%}
    {%- set found = [] -%}
    {%- for question in questions if answers[question] -%}
        {%- do found.append(question) -%}
    {%- endfor -%}
    {{ return(found) }}
{%- endmacro %}


{#- Does a row of silver count in the order of its table: as a change of a row with a key, or as what clears the table? -#}
{% macro is_of_order() -%}
    (
        operation in ('insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before')
        and {{ cdc.names_a_row('row_key') }}
        or operation = 'truncate'
        -- that with which a full load describes a table empties nothing
        or operation = 'schema_change' and ddl_kind = 'drop' and change_sequence.phase > 0
    )
{%- endmacro %}


{#- Is there a change that was not checked yet and meets a condition? Most tables' rows never come from another key, and full
    loads are rare. -#}
{% macro has_unchecked_changes_where(condition) -%}
    {%- if not execute or not cdc.lakehouse_run() -%}
        {{ return(true) }}
    {%- endif -%}
    {%- set found = 'select 1 from ' ~ ref('cdc_changes') ~ ' where ' ~ condition ~ ' and ' ~ cdc.is_unchecked() ~ ' limit 1' -%}
    {{ return(cdc.has_unchecked_changes() and run_query(found) | length > 0) }}
{%- endmacro %}


{#- The hint by which a join with the unchecked changes, as `news`, holds these in every task, where they are few: Spark guesses their
    number by the files of all changes, and would sort these too. -#}
{% macro broadcast_of_few_news() -%}
    {%- if not execute or not cdc.lakehouse_run() -%}
        {{ return('') }}
    {%- endif -%}
    {%- set known = cdc.lakehouse_run().known -%}
    {%- set most = 100000 -%}
    {%- set question = 'few changes since ' ~ cdc.checked_version() -%}
    {%- if question not in known -%}
        {%- set news = 'select 1 from ' ~ ref('cdc_changes') ~ ' where ' ~ cdc.is_unchecked() ~ ' limit ' ~ (most + 1) -%}
        {%- do known.update({question: run_query('select count(*) from (' ~ news ~ ')').rows[0][0] | int <= most}) -%}
    {%- endif -%}
    {{ return(' /*+ broadcast(news) */' if known[question] else '') }}
{%- endmacro %}


{#- Has a table changes of a schema that it may not have had before? A schema of an unchecked change that one of the last changes of its
    table had is not new to it, and most have one; the answer spares a look at all changes. -#}
{% macro may_have_new_schemas() -%}
    {%- if not execute or not cdc.lakehouse_run() -%}
        {{ return(true) }}
    {%- endif -%}
    {%- set query -%}
        with known as (

            select distinct
                feed,
                catalog_name,
                database_name,
                schema_name,
                table_name,
                schema_id
            from {{ ref('cdc_changes') }}
            where
                not {{ cdc.is_unchecked() }}
                and bronze_version >= {{ cdc._oldest_compared() }}

        )

        select 1
        from {{ ref('cdc_changes') }} as unchecked
            left anti join known
                on
                    {{ cdc.is_same_table('unchecked', 'known') }}
                    and unchecked.catalog_name <=> known.catalog_name
                    and unchecked.schema_id = known.schema_id
        where
            unchecked.schema_id is not null
            and {{ cdc.is_unchecked('unchecked') }}
        limit 1
    {%- endset -%}
    {{ return(cdc.has_unchecked_changes() and run_query(query) | length > 0) }}
{%- endmacro %}


{#- Has a change table of silver records without a value under a key that were not checked yet? Asked once a run, and not for each
    gold table: most formats have none. -#}
{% macro has_unchecked_tombstones(silver) -%}
    {%- if not execute or not cdc.lakehouse_run() -%}
        {{ return(true) }}
    {%- endif -%}
    {%- set known = cdc.lakehouse_run().known -%}
    {%- set question = 'tombstones of ' ~ silver -%}
    {%- if question not in known -%}
        {%- do known.update({question: run_query(
            'select 1 from ' ~ silver ~ " where operation = 'tombstone' and row_key is not null and " ~ cdc.is_unchecked() ~ ' limit 1'
        ) | length > 0}) -%}
    {%- endif -%}
    {{ return(known[question]) }}
{%- endmacro %}


{#- The feeds whose positions go up in each partition, but for repetitions. Not: Datastream, which promises no order;
    SharePlex, and outputs of OMS that do not name the store, of which a partition may have several. -#}
{% macro feeds_of_rising_positions() -%}
    {%- set mixed = ['google_datastream', 'oms_debezium', 'oms_debezium_flatten', 'oms_shareplex', 'shareplex_quest'] -%}
    {%- set names = [] -%}
    {%- for name, settings in cdc.feeds().items() if settings.format not in mixed -%}
        {%- do names.append(name) -%}
    {%- endfor -%}
    {{ return(names) }}
{%- endmacro %}


{% macro is_same_key(changes, others) -%}
    {{ changes }}.feed = {{ others }}.feed
                and {{ changes }}.catalog_name <=> {{ others }}.catalog_name
                and {{ changes }}.database_name <=> {{ others }}.database_name
                and {{ changes }}.schema_name <=> {{ others }}.schema_name
                and {{ changes }}.table_name = {{ others }}.table_name
                and {{ changes }}.row_key = {{ others }}.row_key
{%- endmacro %}


{#- Do two relations mean one table of a source, or tables of one schema? -#}
{% macro is_same_table(relation, others) -%}
    {{ cdc.is_in_same_schema(relation, others) }}
                and {{ relation }}.table_name = {{ others }}.table_name
{%- endmacro %}


{% macro is_in_same_schema(relation, others) -%}
    {{ relation }}.feed = {{ others }}.feed
                and {{ relation }}.database_name <=> {{ others }}.database_name
                and {{ relation }}.schema_name <=> {{ others }}.schema_name
{%- endmacro %}


{% macro is_same_position(changes, others) -%}
    size({{ changes }}.change_sequence.position) > 0
                and {{ changes }}.position_space <=> {{ others }}.position_space
                and {{ changes }}.change_sequence.position = {{ others }}.change_sequence.position
{%- endmacro %}


{% macro gold_declarations() -%}
    {%- set declarations = {} -%}
    {%- for node in (cdc.gold_models() if execute else []) -%}
        {%- do declarations.update({node.name: node.config.meta}) -%}
    {%- endfor -%}
    {{ return(declarations) }}
{%- endmacro %}


{#- What all models declare that read a source table: those of gold_declarations() and histories. -#}
{% macro declarations_of_readers() -%}
    {%- set declarations = {} -%}
    {%- for node in (cdc.gold_models() + cdc.histories() if execute else []) -%}
        {%- do declarations.update({node.name: node.config.meta}) -%}
    {%- endfor -%}
    {{ return(declarations) }}
{%- endmacro %}


{% macro has_patterns() -%}
    {%- for declared in cdc.declarations_of_readers().values() if cdc.shard_parts(declared) -%}
        {{ return(true) }}
    {%- endfor -%}
    {{ return(false) }}
{%- endmacro %}


{#- Is the change one of the table that gold_tables() lists? What the model leaves out is not compared. -#}
{% macro is_of_gold_table(relation) -%}
    {{ cdc.is_named_as_gold_table(relation, relation ~ ".operation in ('truncate', 'schema_change')") }}
{%- endmacro %}


{#- The same of any relation with the names of tables. `may_lack_catalog`: a condition on its rows; a statement may lack the
    catalog that the rows of its table have. -#}
{% macro is_named_as_gold_table(relation, may_lack_catalog) -%}
    {%- set patterned = cdc.has_patterns() -%}
    {{ relation }}.feed = gold_tables.feed
            and {{ relation }}.table_name = {{ 'coalesce(gold_tables.table_name, ' ~ relation ~ '.table_name)' if patterned else 'gold_tables.table_name' }}
            and (
                {{ relation }}.catalog_name <=> coalesce(gold_tables.catalog_name, {{ relation }}.catalog_name)
                or {{ relation }}.catalog_name is null and {{ may_lack_catalog }}
            )
            and {{ relation }}.database_name <=> coalesce(gold_tables.database_name, {{ relation }}.database_name)
            and {{ relation }}.schema_name <=> coalesce(gold_tables.schema_name, {{ relation }}.schema_name)
            {%- if patterned %}
            {%- for part in cdc.place_parts() %}
            and (gold_tables.{{ part }}_pattern is null or {{ relation }}.{{ part }}_name rlike gold_tables.{{ part }}_pattern)
            {%- endfor %}
            {%- endif %}
{%- endmacro %}
