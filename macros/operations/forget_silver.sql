{#- The silver table of a feed's format, and what is made of all silver, count as never built: the next run rebuilds them,
    and then gold. Rows that the feed has in the tables of other formats are deleted. Refused where bronze no longer holds what
    the table was made from. `rebuild` does this before it accepts the feed's changed settings. -#}
{% macro forget_silver(feed) -%}
    {%- set changes = cdc.feed_settings(feed).format ~ '_changes' -%}
    {%- set silver = cdc.silver_relation(changes) -%}
    {%- do cdc.register_bronze() -%}
    {%- if load_relation(silver) is not none -%}
        {%- do cdc.refuse_lost_records(silver) -%}
    {%- endif -%}
    {%- do cdc.remove_from_other_formats(feed) -%}
    {%- do cdc.forget_marks([changes, '#forgotten ' ~ feed] + cdc.made_of_silver()) -%}
{%- endmacro %}


{#- The rows that a feed has in the tables of other formats: it was of one of them before. -#}
{% macro remove_from_other_formats(feed) -%}
    {%- for name in cdc.tables_of_formats() if name != cdc.feed_settings(feed).format ~ '_changes' -%}
        {%- do cdc.remove_rows_of(cdc.silver_relation(name), feed) -%}
    {%- endfor -%}
{%- endmacro %}


{#- The change tables that exist, also those of formats that no feed has any longer. -#}
{% macro tables_of_formats() -%}
    {%- set names = [] -%}
    {%- for row in run_query('show tables in ' ~ cdc.silver_schema() ~ " like '*_changes'")
        if 'parse_' ~ row['tableName'].removesuffix('_changes') in cdc
    -%}
        {%- do names.append(row['tableName']) -%}
    {%- endfor -%}
    {{ return(names) }}
{%- endmacro %}


{#- Removes a feed's rows from a table of silver, and returns whether it had any. Refused where bronze no longer holds what they were made from. -#}
{% macro remove_rows_of(silver, feed) -%}
    {%- set own = 'feed = ' ~ cdc.quoted(feed) -%}
    {%- set has_rows = run_query('select 1 from ' ~ silver ~ ' where ' ~ own ~ ' limit 1') | length > 0 -%}
    {%- if has_rows -%}
        {%- do cdc.refuse_lost_records(silver, own) -%}
        {%- do run_query('delete from ' ~ silver ~ ' where ' ~ own) -%}
    {%- endif -%}
    {{ return(has_rows) }}
{%- endmacro %}
