{#- What StreamX says of a table's columns: the list `schema.dataColumn`, each with a name and one of six types: LONG,
    DOUBLE, STRING, DATE, BYTES, BOOLEAN. Surprise: there is no length, scale or sign, and MySQL's DATE, DATETIME
    and TIMESTAMP are all DATE, an instant made from a wall clock in the source's zone. -#}

{% macro streamx_columns(schemas) -%}
    with described_columns as (

        select
            schema_id,
            ordinal + 1 as ordinal,
            described.name as column_name,
            described.type as source_type
        from {{ schemas }}
            lateral view posexplode(from_json(schema_text, 'array<struct<name string, type string>>'))
                as ordinal, described
        where described.name is not null

    )

    select
        schema_id,
        column_name,
        ordinal,
        source_type,
        case source_type
            when 'DATE' then 'instant_millis'
            when 'BYTES' then 'base64_binary'
            else 'text'
        end as wire_encoding,
        cast(null as int) as scale,
        cast(null as array<string>) as labels,
        cast(null as boolean) as is_optional,
        cast(null as string) as comment,
        case source_type
            -- bigint unsigned is a LONG too
            when 'LONG' then 'decimal(20,0)'
            when 'DOUBLE' then 'double'
            when 'BOOLEAN' then 'boolean'
            when 'DATE' then 'timestamp'
            when 'BYTES' then 'binary'
            else 'string'
        end as proposed_type
    from described_columns
{%- endmacro %}
