{#- Datastream's messages carry no types: `schema_key` is a hash of them. -#}

{% macro google_datastream_columns(schemas) -%}
    select
        schema_id,
        cast(null as string) as column_name,
        cast(null as int) as ordinal,
        cast(null as string) as source_type,
        cast(null as string) as wire_encoding,
        cast(null as int) as scale,
        cast(null as array<string>) as labels,
        cast(null as boolean) as is_optional,
        cast(null as string) as comment,
        cast(null as string) as proposed_type
    from {{ schemas }}
    where false
{%- endmacro %}
