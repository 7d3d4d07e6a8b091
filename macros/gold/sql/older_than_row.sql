{#- Column to sequence for the columns that are older than their row; empty where none is. A column that no
    message has carried yet is older than everything: epoch -1. `columns`: the names of gold's columns; the others are expressions. -#}
{% macro older_than_row(columns, sequences, sequence) -%}
map_filter(
                    map_from_arrays(array({{ cdc.quoted_list(columns) }}), {{ sequences }}),
                    (column_name, column_sequence) -> column_sequence < {{ sequence }}
                )
{%- endmacro %}
