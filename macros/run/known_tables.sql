{#- Which source tables silver.source_tables holds, as {names as JSON: whether it has had rows}: asked when new changes came, and
    remembered for later runs, while the table stays as it is. -#}
{% macro known_tables() -%}
    {%- set build = cdc.lakehouse_run().applied.cdc_source_tables.built_by -%}
    {%- set text = cdc.remembered_text('#cdc_source_tables', build) -%}
    {%- if not text -%}
        {%- set known = {} -%}
        {%- for row in run_query(
            'select feed, catalog_name, database_name, schema_name, table_name, bool_or(has_rows) from ' ~ this ~ ' group by all'
        ) -%}
            {%- do known.update({tojson(row.values()[:5] | list): row[5]}) -%}
        {%- endfor -%}
        {%- set text = tojson(known) -%}
        {%- do cdc.remember_text('#cdc_source_tables', build, text) -%}
    {%- endif -%}
    {{ return(fromjson(text)) }}
{%- endmacro %}


{#- Is a table of these rows of new_changes_of_silver() new, or are its first rows among them? -#}
{% macro has_unknown_tables(new_changes) -%}
    {%- set known = cdc.known_tables() -%}
    {%- for row in new_changes if row.table is not none and row.version >= 0 -%}
        {%- set name = tojson([row.feed, row.catalog, row.database, row.schema, row.table]) -%}
        {%- if name not in known or (row.has_rows and not known[name]) -%}
            {{ return(true) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(false) }}
{%- endmacro %}
