{#- The columns that a `schema` block of OMS lists, from a relation with a row for each block: schema_id, and `fields` of the table's
    rows. -#}
{% macro _oms_block_columns(blocks) -%}
    described_columns as (

        select
            schema_id,
            ordinal + 1 as ordinal,
            described
        from {{ blocks }}
            lateral view posexplode(fields) as ordinal, described

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
