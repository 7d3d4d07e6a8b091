{#- Does a whole row lack the columns that are NULL? MongoDB's documents have the fields that were set, and AWS DMS leaves NULL out
    unless the task has `IncludeNullAndEmpty`. -#}
{% macro leaves_nulls_out(relation) -%}
    {%- set feeds = cdc.feeds_with('format', 'aws_dms') -%}
    ({{ relation }}.source_type <=> 'mongodb'{{ ' or ' ~ relation ~ '.feed in (' ~ cdc.quoted_list(feeds) ~ ')' if feeds }})
{%- endmacro %}
