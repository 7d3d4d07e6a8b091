{#- What dbt knows of a gold model before anything runs: how it is made, what it declares (`meta`), and what it reads. -#}
{% macro declare_gold_table(materialized, meta) -%}
    {%- set silver = cdc.feed_settings(meta.feed).format ~ '_changes' -%}
    {{- config(materialized=materialized, meta=dict(meta, silver=silver)) -}}
    {%- do ref(silver) -%}
    {%- do ref('cdc_schemas') -%}
    {%- do ref('cdc_sequence_ranges') -%}
{%- endmacro %}


{#- The same of a history of a gold model: which format that one reads, dbt knows later. -#}
{% macro declare_history_of(name, columns) -%}
    {{- config(materialized='kept_view', meta={'of': name, 'columns': columns}) -}}
    {%- do ref(name) -%}
    {%- for format in cdc.formats_in_use() -%}
        {%- do ref(format ~ '_changes') -%}
    {%- endfor -%}
    {%- do ref('cdc_schemas') -%}
    {%- do ref('cdc_sequence_ranges') -%}
{%- endmacro %}
