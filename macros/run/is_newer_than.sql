{#- Rows that a model with this mark has not read; all rows where it is built anew. -#}
{% macro is_newer_than(mark) -%}
    bronze_version > {{ mark.version if mark else -1 }}
{%- endmacro %}


{#- Schemas that silver.schemas, unless it is built anew, does not hold of this format: two formats may write the same text. -#}
{% macro is_new_schema(table, format, mark) -%}
    {%- if mark -%}
        schema_id not in (select known.schema_id from {{ table }} as known where known.format = {{ quoted(format) }})
    {%- else -%}
        true
    {%- endif -%}
{%- endmacro %}
