{#- Rows that a model with this mark has not read; all rows where it is built anew. -#}
{% macro is_newer_than(mark) -%}
    bronze_version > {{ mark.version if mark else -1 }}
{%- endmacro %}


{#- Values that the table, unless it is built anew, does not hold. -#}
{% macro is_not_yet_in(table, column, mark) -%}
    {%- if mark -%}
        {{ column }} not in (select known.{{ column }} from {{ table }} as known)
    {%- else -%}
        true
    {%- endif -%}
{%- endmacro %}
