{#- Tests look at what is new since they last passed, so that they cost what changed. `--vars 'check_all_history: true'`
    lets them look at everything; so does a silver table that was built anew. -#}

{#- The bronze version up to which everything was checked before; -1 where nothing was. -#}
{% macro checked_version() -%}
    {%- set mark = lakehouse_run().get('applied', {}).get('tests') -%}
    {%- if mark and mark.built_by == silver_builds() and not var('check_all_history', false) -%}
        {{ return(mark.version) }}
    {%- endif -%}
    {{ return(-1) }}
{%- endmacro %}


{% macro silver_builds() -%}
    {%- set builds = [] -%}
    {%- for format in formats_in_use() -%}
        {%- do builds.append(lakehouse_run().get('applied', {}).get(format ~ '_changes', {}).get('built_by', '')) -%}
    {%- endfor -%}
    {{ return(builds | join(' ')) }}
{%- endmacro %}


{#- The version that silver holds: what arrived later is no loss. -#}
{% macro silver_version() -%}
    {%- set versions = [] -%}
    {%- for format in formats_in_use() -%}
        {%- do versions.append(lakehouse_run().get('applied', {}).get(format ~ '_changes', {}).get('version', -1)) -%}
    {%- endfor -%}
    {{ return(versions | min) }}
{%- endmacro %}


{#- on-run-end of a run that tested: remember how far, if nothing is missing. -#}
{% macro mark_checked() -%}
    {%- set statuses = [] -%}
    {%- for result in results if result.node.name == 'every_record_is_in_silver' -%}
        {%- do statuses.append(result.status | string) -%}
    {%- endfor -%}
    {%- if statuses == ['pass'] -%}
        {%- set mark = {'version': silver_version(), 'built_by': silver_builds()} -%}
        {%- if lakehouse_run().applied.get('tests') != mark -%}
            {%- do lakehouse_run().applied_now.update({'tests': mark}) -%}
        {%- endif -%}
    {%- endif -%}
{%- endmacro %}


{#- The bronze records that came after a version and that silver should hold. -#}
{% macro unchecked_records(checked) -%}
    {%- set messages = source('bronze', 'messages') -%}
    {%- if not execute or not lakehouse_run() -%}
        {{ messages }}
    {%- elif checked < 0 -%}
        {{ messages }} version as of {{ silver_version() }}
    {%- elif checked < silver_version() -%}
        table_changes('{{ messages }}', {{ checked + 1 }}, {{ silver_version() }})
    {%- else -%}
        (select * from {{ messages }} where false)
    {%- endif -%}
{%- endmacro %}


{#- What the gold model behind a tested relation declares: feed, table, key, columns. -#}
{% macro gold_declaration(relation) -%}
    {%- for node in graph.nodes.values()
        if node.resource_type == 'model' and node.name == relation.identifier and node.config.materialized == 'current_state' -%}
        {{ return(node.config.meta) }}
    {%- endfor -%}
{%- endmacro %}


{% macro silver_of(declaration) -%}
    {{ return(api.Relation.create(
        schema=generate_schema_name('silver', none), identifier=feed_settings(declaration.feed).format ~ '_changes'
    )) }}
{%- endmacro %}


{#- Has silver anything that was not checked yet? If not, the tests of changes need not ask Spark to look. -#}
{% macro has_unchecked_changes() -%}
    {{ return(not execute or checked_version() < silver_version()) }}
{%- endmacro %}


{#- The silver rows of a tested gold table that were not checked yet. -#}
{% macro unchecked_changes(relation) -%}
    {%- set declaration = gold_declaration(relation) -%}
    select *
        from {{ silver_of(declaration) }}
        where
            feed = {{ quoted(declaration.feed) }}
            {%- if declaration.source_catalog %}
            and catalog_name = {{ quoted(declaration.source_catalog) }}
            {%- endif %}
            {%- if declaration.database %}
            and database_name = {{ quoted(declaration.database) }}
            {%- endif %}
            {%- if declaration.schema %}
            and schema_name = {{ quoted(declaration.schema) }}
            {%- endif %}
            and table_name = {{ quoted(declaration.table) }}
            and operation in ('insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before')
            and {{ is_unchecked() }}
{%- endmacro %}


{#- Rows of silver that no test has looked at yet. -#}
{% macro is_unchecked(relation=none) -%}
    {{ relation ~ '.' if relation }}bronze_version > {{ checked_version() }}
{%- endmacro %}


{#- The gold tables as their models declare them: name, where their changes come from, key as the source names it. -#}
{% macro gold_tables() -%}
    {%- set declarations = {} -%}
    {%- for node in (graph.nodes.values() if execute else []) if node.config.materialized == 'current_state' -%}
        {%- do declarations.update({node.name: node.config.meta}) -%}
    {%- endfor -%}
    {%- if declarations -%}
    values
    {%- for name, declared in declarations.items() %}
    (
        {{ quoted(name) }}, {{ quoted(declared.feed) }},
        {{ quoted_or_null(declared.source_catalog) }}, {{ quoted_or_null(declared.database) }}, {{ quoted_or_null(declared.schema) }},
        {{ quoted(declared.table) }}, array({{ quoted_list(source_key(declared)) }})
    ){{ ',' if not loop.last }}
    {%- endfor %}
    as gold_tables (model_name, feed, catalog_name, database_name, schema_name, table_name, key_columns)
    {%- else -%}
    (
        select
            '' as model_name,
            '' as feed,
            '' as catalog_name,
            '' as database_name,
            '' as schema_name,
            '' as table_name,
            array('') as key_columns
        where false
    ) as gold_tables
    {%- endif -%}
{%- endmacro %}


{#- Is the change one of the table that gold_tables() lists? What a model leaves out is not asked for. -#}
{% macro is_of_gold_table(relation) -%}
    {{ relation }}.feed = gold_tables.feed
            and {{ relation }}.table_name = gold_tables.table_name
            and {{ relation }}.catalog_name <=> coalesce(gold_tables.catalog_name, {{ relation }}.catalog_name)
            and {{ relation }}.database_name <=> coalesce(gold_tables.database_name, {{ relation }}.database_name)
            and {{ relation }}.schema_name <=> coalesce(gold_tables.schema_name, {{ relation }}.schema_name)
{%- endmacro %}


{#- The declared key in the names that the messages use. -#}
{% macro source_key(declared) -%}
    {%- set sources = [] -%}
    {%- for column in declared.key -%}
        {%- set type = declared.columns[column] -%}
        {%- do sources.append(type.source if type is mapping and type.source else column) -%}
    {%- endfor -%}
    {{ return(sources) }}
{%- endmacro %}


{% macro quoted_or_null(text) -%}
    {{ quoted(text) if text else 'null' }}
{%- endmacro %}
