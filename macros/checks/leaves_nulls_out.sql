{#- Does a whole row lack the columns that are NULL? MongoDB's documents have the fields that were set, AWS DMS leaves NULL out
    unless the task has `IncludeNullAndEmpty`, and of other producers the feed says it. -#}
{% macro leaves_nulls_out(relation) -%}
    {%- set feeds = cdc.feeds_with('format', 'aws_dms') + cdc.feeds_with('output_nulls', 'dropped') -%}
    ({{ relation }}.source_type <=> 'mongodb'{{ ' or ' ~ relation ~ '.feed in (' ~ cdc.quoted_list(feeds) ~ ')' if feeds }})
{%- endmacro %}
