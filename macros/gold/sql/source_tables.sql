{#- Which source tables a gold model reads. `database`, `schema` and `table` are names as the messages have them, or
    patterns, {'pattern': 'orders_[0-9]+'}: regular expressions for the whole name, of sources that spread one table
    over many (shards). The parts of the name that are patterns lead the rows' keys, so that a row of one shard is never
    taken for a row of another; `@database`, `@schema` and `@table` are columns that hold them. -#}

{#- Which rows of silver belong to the model's table. A statement may lack the catalog that the rows of its table have; a row
    without a catalog is another table's. -#}
{% macro of_this_table(relation, declaration=none) -%}
    {%- set meta = declaration or model.config.meta -%}
    {{ cdc.of_this_name(relation, meta) }}
            {%- if meta.source_catalog %}
            and (
                {{ relation }}.catalog_name = {{ cdc.quoted(meta.source_catalog) }}
                or {{ relation }}.catalog_name is null and {{ relation }}.operation in ('truncate', 'schema_change')
            )
            {%- endif %}
{%- endmacro %}


{#- Which rows of sequence_ranges belong to the model's table: a range may begin with a statement. -#}
{% macro ranges_of_this_table(relation, declaration=none) -%}
    {%- set meta = declaration or model.config.meta -%}
    {{ cdc.of_this_name(relation, meta) }}
            {%- if meta.source_catalog %}
            and coalesce({{ relation }}.catalog_name, {{ cdc.quoted(meta.source_catalog) }}) = {{ cdc.quoted(meta.source_catalog) }}
            {%- endif %}
{%- endmacro %}


{% macro of_this_name(relation, meta) -%}
    {{ relation }}.feed = {{ cdc.quoted(meta.feed) }}
            {%- for part in cdc.place_parts() if meta[part] %}
            and {{ relation }}.{{ part }}_name {{ cdc.is_called(meta[part]) }}
            {%- endfor %}
{%- endmacro %}


{% macro is_called(declared) -%}
    {%- if declared is mapping -%}
    rlike {{ cdc.quoted('^(' ~ declared.pattern ~ ')$') }}
    {%- else -%}
    = {{ cdc.quoted(declared) }}
    {%- endif -%}
{%- endmacro %}


{#- The same question in Jinja, for the lists of tables that a run asks for once. -#}
{% macro reads_table(meta, feed, database, schema, table) -%}
    {%- set names = {'database': database, 'schema': schema, 'table': table} -%}
    {%- for part in cdc.place_parts() if meta[part] -%}
        {%- if meta[part] is mapping -%}
            {%- if not modules.re.fullmatch(meta[part].pattern, names[part] or '') -%}{{ return(false) }}{%- endif -%}
        {%- elif meta[part] != names[part] -%}
            {{ return(false) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(feed == meta.feed) }}
{%- endmacro %}


{% macro shard_columns() -%}
    {{ return(['@database', '@schema', '@table']) }}
{%- endmacro %}


{#- The parts of the source's name by which shards differ; none for most tables. -#}
{% macro shard_parts(declaration=none) -%}
    {%- set meta = declaration or model.config.meta -%}
    {%- set parts = [] -%}
    {%- for part in cdc.place_parts() if meta[part] is mapping -%}
        {%- do parts.append(part) -%}
    {%- endfor -%}
    {{ return(parts) }}
{%- endmacro %}


{% macro shard_of(relation, declaration=none) -%}
    array(
        {%- for part in cdc.shard_parts(declaration) -%}
        {{ relation }}.{{ part }}_name{{ ', ' if not loop.last }}
        {%- endfor -%}
    )
{%- endmacro %}


{#- How far a row of silver without a key reaches, as columns: over one topic and partition where only offsets order. -#}
{% macro reach_columns(relation) -%}
    if({{ relation }}.row_key is null and {{ relation }}.order_scope = 'offset', {{ relation }}.topic, null) as topic,
            if({{ relation }}.row_key is null and {{ relation }}.order_scope = 'offset', {{ relation }}.partition, null) as partition
{%- endmacro %}


{#- Does what cleared a table (a row of the state without a key) clear a row? All of the table, or of one topic and
    partition where only offsets order; of one shard. -#}
{% macro reaches(cleared, row, declaration=none, shard=none) -%}
    ({{ cleared }}.topic is null or {{ row }}.topic = {{ cleared }}.topic)
                    and ({{ cleared }}.partition is null or {{ row }}.partition = {{ cleared }}.partition)
                    {%- if cdc.shard_parts(declaration) %}
                    and (
                        {{ cleared }}.shard is null
                        or {{ shard or cdc.shard_of_key(row ~ '.row_key', declaration) }} = {{ cleared }}.shard
                    )
                    {%- endif -%}
{%- endmacro %}


{#- A gold key without the names of its shard. -#}
{% macro source_part_of_key(row_key, declaration=none) -%}
    {%- set parts = cdc.shard_parts(declaration) | length -%}
    {{ 'slice(' ~ row_key ~ ', ' ~ (parts + 1) ~ ', size(' ~ row_key ~ ') - ' ~ parts ~ ')' if parts else row_key }}
{%- endmacro %}


{#- The shard in front of a gold key; empty where the table has none. -#}
{% macro shard_of_key(row_key, declaration=none) -%}
    slice({{ row_key }}, 1, {{ cdc.shard_parts(declaration) | length }})
{%- endmacro %}


{#- A pattern is one that both Python and Spark read, and the key has the shard in it. Of a part that is one name, or none, rows do
    not carry the name. -#}
{% macro check_patterns(meta, columns, key=none) -%}
    {%- for name, column in cdc.column_sources(columns).items() -%}
        {%- for part in cdc.place_parts() if column.get('source', name) == '@' ~ part and meta[part] is not mapping -%}
            {{ exceptions.raise_compiler_error(
                "Gold model '" ~ model.name ~ "': the column '" ~ name ~ "' would be NULL in every row, as its source is @" ~ part ~ " and " ~ part
                ~ " is no pattern: " ~ part ~ "={'pattern': '.*'} reads every " ~ part ~ ", and then the column belongs to the key. Otherwise"
                ~ " leave it out."
            ) }}
        {%- endfor -%}
    {%- endfor -%}
    {%- set sources = [] -%}
    {%- for name in key or [] -%}
        {%- do sources.append(cdc.column_sources(columns)[name].get('source', name)) -%}
    {%- endfor -%}
    {%- for part in cdc.place_parts() if meta[part] and meta[part] is not string -%}
        {%- if meta[part] is not mapping or meta[part] | list != ['pattern'] or meta[part].pattern is not string -%}
            {{ exceptions.raise_compiler_error(
                "Gold model '" ~ model.name ~ "': " ~ part ~ " is " ~ meta[part] ~ ". It takes a name, or a regular expression for"
                ~ " the names of many: " ~ part ~ "={'pattern': 'orders_[0-9]+'}."
            ) }}
        {%- endif -%}
        {%- do try_or_compiler_error(
            "Gold model '" ~ model.name ~ "': " ~ part ~ "'s pattern " ~ meta[part].pattern ~ " is no regular expression, such as"
            ~ " orders_[0-9]+.",
            modules.re.compile, meta[part].pattern
        ) -%}
        {%- if key and '@' ~ part not in sources -%}
            {{ exceptions.raise_compiler_error(
                "Gold model '" ~ model.name ~ "' reads every " ~ part ~ " called " ~ meta[part].pattern ~ ". Its key must"
                ~ " distinguish them: add a column such as 'shard_" ~ part ~ "': {'type': 'string', 'source': '@" ~ part
                ~ "'} and name it in key."
            ) }}
        {%- endif -%}
    {%- endfor -%}
{%- endmacro %}


{#- The declared key in the names that the messages use, without the names of the shard. -#}
{% macro source_key(declared) -%}
    {%- set sources = [] -%}
    {%- for column in declared.key -%}
        {%- set type = declared.columns[column] -%}
        {%- set source = type.source if type is mapping and type.source else column -%}
        {%- if source not in cdc.shard_columns() -%}{%- do sources.append(source) -%}{%- endif -%}
    {%- endfor -%}
    {{ return(sources) }}
{%- endmacro %}
