{#- The tables that tests look at, as the models declare them, and which rows are theirs. -#}

{#- The gold tables as their models declare them: name, where their changes come from, key as the source names it. A history that
    names a table itself is one of them. -#}
{% macro gold_tables() -%}
    {%- set declarations = cdc.declarations_of_readers() -%}
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


{#- The name of the model that reads the table of a row, by the row's feed and names of the table; NULL where none does. Of several the
    first, by their order in the project, and a gold model before a history. -#}
{% macro gold_table_of(relation) -%}
    {%- set declarations = cdc.declarations_of_readers() -%}
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
    {%- set nodes = cdc.readers() -%}
    {%- if nodes -%}
    values
    {%- for node in nodes %}
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


{#- The nodes of the models that name a source table: gold models, and histories that are not `of` one. -#}
{% macro readers() -%}
    {{ return(cdc.gold_models() + cdc.histories() | rejectattr('config.meta.of') | list if execute else []) }}
{%- endmacro %}


{% macro declarations_of_readers() -%}
    {%- set declarations = {} -%}
    {%- for node in cdc.readers() -%}
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
