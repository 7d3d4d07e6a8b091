{#- The columns that a `mysqlType` names by bare type names, without length, scale or sign: each gets the type that
    holds every value of it. How bytes are written is not known: they stay text. -#}
{% macro _canal_bare_columns(schemas) -%}
    with types as (

        {{ cdc.named_types(schemas) }}

    )

    select
        schema_id,
        column_name,
        ordinal,
        source_type,
        'text' as wire_encoding,
        cast(null as int) as scale,
        cast(null as array<string>) as labels,
        cast(null as boolean) as is_optional,
        cast(null as string) as comment,
        case
            when word in ('bool', 'boolean', 'tinyint') then 'smallint'
            when word in ('smallint', 'mediumint', 'year') then 'int'
            when word in ('int', 'integer') then 'bigint'
            when word = 'bigint' then 'decimal(20,0)'
            when word in ('float', 'double', 'date', 'timestamp') then word
            when word = 'datetime' then 'timestamp_ntz'
            else 'string'
        end as proposed_type
    from types
{%- endmacro %}
