{#- The columns of a table's definition in a statement's message: type word, sign where there is one, labels. Surprise:
    there are no lengths and scales, and rows carry no types, so that these only serve a reader, and gold takes what
    its model declares. -#}
{% macro _maxwell_columns(schemas) -%}
    with described_columns as (

        select
            schema_id,
            ordinal + 1 as ordinal,
            described,
            lower(described.type) as word
        from {{ schemas }}
            lateral view posexplode(
                from_json(
                    schema_text,
                    'columns array<struct<name string, type string, signed string, `enum-values` array<string>>>'
                ).columns
            ) as ordinal, described
        where described.name is not null

    )

    select
        schema_id,
        described.name as column_name,
        ordinal,
        described.type as source_type,
        case
            when word in ('binary', 'varbinary', 'blob', 'tinyblob', 'mediumblob', 'longblob')
                then 'base64_binary'
            else 'text'
        end as wire_encoding,
        cast(null as int) as scale,
        described.`enum-values` as labels,
        cast(null as boolean) as is_optional,
        cast(null as string) as comment,
        case
            when word = 'tinyint' then 'smallint'
            when word in ('smallint', 'mediumint', 'year') then 'int'
            when word in ('int', 'integer') then 'bigint'
            when word = 'bigint' then if(described.signed = 'true', 'bigint', 'decimal(20,0)')
            when word = 'bit' then 'decimal(20,0)'
            when word in ('float', 'double', 'date') then word
            when word = 'datetime' then 'timestamp_ntz'
            when word = 'timestamp' then 'timestamp'
            when word = 'set' then 'array<string>'
            when word in ('binary', 'varbinary', 'blob', 'tinyblob', 'mediumblob', 'longblob')
                then 'binary'
            else 'string'
        end as proposed_type
    from described_columns
{%- endmacro %}
