{#- Creates or replaces the model's table with the rows of its select. Where the model reads nothing but changes with positions, and
    there is none, the table has the columns that its YAML declares, and the select, of many steps, is not planned. -#}
{% macro _create_silver_table(select) -%}
    {%- set has_rows = model.config.meta.reads_only != 'positions' or cdc.has_positions() -%}
    {%- call statement('main') -%}
        {{ create_table_as(False, this, select) if has_rows else cdc._empty_table() }}
    {%- endcall -%}
    {%- do persist_docs(this, model) -%}
    {%- do cdc.rows_were_added() -%}
    {%- if not has_rows -%}
        {%- do cdc.lakehouse_run().empty_tables.append(model.name) -%}
    {%- endif -%}
{%- endmacro %}


{% macro _empty_table() -%}
create or replace table {{ this }} (
    {%- for column in model.columns.values() %}
    {{ cdc.identifier(column.name) }} {{ column.data_type }}{{ ',' if not loop.last }}
    {%- endfor %}
)
{{ file_format_clause() }}
{{ options_clause() }}
{{ tblproperties_clause() }}
{{ partition_cols(label='partitioned by') }}
{{ clustered_cols(label='clustered by') }}
{{ location_clause() }}
{{ comment_clause() }}
{%- endmacro %}
