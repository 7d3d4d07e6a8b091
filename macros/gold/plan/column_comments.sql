{#- What the columns of a gold table that was just written mean, as Delta comments: the description in the model's YAML, or
    else the source's own comment, where its messages carry one. One commit, and none where there is no comment. -#}
{% macro comment_columns(meta) -%}
    {%- set of_source = cdc.source_comments(meta) -%}
    {%- set columns = cdc.columns_of(this) if of_source or model.columns else [] -%}
    {%- set comments = {} -%}
    {%- for column in columns -%}
        {%- set source = cdc.column_sources(meta.columns).get(column.name, {}).get('source', column.name) -%}
        {%- do comments.update({
            column.name: model.columns.get(column.name, {}).get('description') or of_source.get(source)
        }) -%}
    {%- endfor -%}
    {%- if comments.values() | select | list -%}
        {%- call statement('comments') -%}
alter table {{ this }} replace columns (
            {%- for column in columns %}
    {{ cdc.identifier(column.name) }} {{ column.type }}
            {%- if comments[column.name] %} comment {{ cdc.quoted(comments[column.name]) }}{% endif %}{{ ',' if not loop.last }}
            {%- endfor %}
)
        {%- endcall -%}
    {%- endif -%}
{%- endmacro %}


{#- A table's columns as {name, type}; dbt's adapter stops at a name that begins with #. -#}
{% macro columns_of(relation) -%}
    {%- set columns = [] -%}
    {%- set ended = [] -%}
    {%- for row in run_query('describe table ' ~ relation) if not ended -%}
        {#- after an empty line comes what is no column, such as how the table is partitioned -#}
        {%- do ended.append(true) if not row[0] else columns.append({'name': row[0], 'type': row[1]}) -%}
    {%- endfor -%}
    {{ return(columns) }}
{%- endmacro %}


{#- The newest comment of each column of the model's table, by the column's name in the messages. -#}
{% macro source_comments(meta) -%}
    {%- set format = cdc.feed_settings(meta.feed).format -%}
    {%- set comments = {} -%}
    {%- for row in (run_query(cdc.comments_of_table(format)) if cdc.schemas_of_format(format).has_comments else []) -%}
        {%- do comments.update({row[0]: row[1]}) -%}
    {%- endfor -%}
    {{ return(comments) }}
{%- endmacro %}


{% macro comments_of_table(format) -%}
    select
        schemas.column_name,
        max_by(schemas.comment, schemas.bronze_version) as comment
    from {{ ref('cdc_schemas') }} as schemas
        left semi join {{ ref(format ~ '_changes') }} as changes
            on
                schemas.schema_id = changes.schema_id
                and {{ cdc.of_this_table('changes') }}
    where
        schemas.format = {{ cdc.quoted(format) }}
        and schemas.comment <> ''
    group by schemas.column_name
{%- endmacro %}
