{#- The columns that a `schema` block of OMS lists; `fields` is an expression over `schema_text`. -#}
{% macro _oms_block_columns(schemas, fields) -%}
    with described_columns as (

        select
            schema_id,
            ordinal + 1 as ordinal,
            described
        from {{ schemas }}
            lateral view posexplode({{ fields }}) as ordinal, described

    )

    select
        schema_id,
        described.field as column_name,
        ordinal,
        described.type as source_type,
        -- no message carries it: the feed declares it
        cast(null as string) as wire_encoding,
        cast(null as int) as scale,
        cast(null as array<string>) as labels,
        -- every field is declared as not optional, also where NULL is sent
        cast(null as boolean) as is_optional,
        cast(null as string) as comment,
        'string' as proposed_type
    from described_columns
{%- endmacro %}


{#- The type of one field of a block, as far as it is read. -#}
{% macro _oms_block_field() -%}
    struct<field string, type string>
{%- endmacro %}
