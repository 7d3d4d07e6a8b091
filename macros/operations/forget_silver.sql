{#- The silver table of a feed's format, and what is made of all silver, count as never built: the next run rebuilds them,
    and then gold. Rows that the feed has in the tables of other formats are deleted. Refused where bronze no longer holds what the table was made from. `rebuild` does this before it
    accepts the feed's changed settings. -#}
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


{#- The rows that a feed has in the tables of other formats: it was of one of them before, and other feeds still are. -#}
{% macro remove_from_other_formats(feed) -%}
    {%- for format in cdc.formats_in_use() if format != cdc.feed_settings(feed).format -%}
        {%- set silver = load_relation(cdc.silver_relation(format ~ '_changes')) -%}
        {%- if silver is not none -%}
            {%- do cdc.remove_rows_of(silver, feed) -%}
        {%- endif -%}
    {%- endfor -%}
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
