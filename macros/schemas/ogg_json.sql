{#- GoldenGate's JSON says nothing of its columns' types: encodings come from the feed. -#}

{% macro ogg_json_columns(schemas) -%}
    select
        schema_id,
        cast(null as string) as column_name,
        cast(null as int) as ordinal,
        cast(null as string) as source_type,
        'text' as wire_encoding,
        cast(null as int) as scale,
        cast(null as array<string>) as labels,
        cast(null as boolean) as is_optional,
        cast(null as string) as comment,
        'string' as proposed_type
    from {{ schemas }}
    where false
{%- endmacro %}
