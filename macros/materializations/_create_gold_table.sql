{#- A gold table made anew. One that is there takes columns without a time zone only if the statement asks for Delta's
    feature; one without such columns is left readable for older readers. -#}
{% macro create_gold_table(rows, columns) -%}
    {%- if 'timestamp_ntz' in cdc.column_sources(columns).values() | map(attribute='type') | join(' ') -%}
        {%- do config.get('tblproperties').update({'delta.feature.timestampNtz': 'supported'}) -%}
    {%- endif -%}
    {{ return(create_table_as(False, this, rows)) }}
{%- endmacro %}
