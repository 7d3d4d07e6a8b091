{#- What CloudCanal says of a table's columns: the JSON object `dbValType`, column name to the source's own type
    text: `varchar(22)`, `bigint(20) unsigned`.
    Surprise: the message names neither the source's product nor how a value is written. The encoding of a type whose text is
    not documented is NULL, which the feed's `encodings` must fill, and string is proposed. -#}

{% macro cloudcanal_json_columns(schemas) -%}
    with types as (

        {{ named_types(schemas) }}

    )

    select
        schema_id,
        column_name,
        ordinal,
        source_type,
        case
            when
                word rlike '^(tiny|small|medium|big)?int$|^(tiny|medium|long|n)?text$|^n?(var)?char2?$'
                or word in (
                    'integer', 'year', 'decimal', 'dec', 'numeric', 'fixed', 'number', 'float', 'double', 'real', 'date', 'datetime'
                )
                then 'text'
        end as wire_encoding,
        cast(null as int) as scale,
        cast(null as array<string>) as labels,
        cast(null as boolean) as is_optional,
        cast(null as string) as comment,
        case
            -- SQL Server's tinyint has no sign
            when word = 'tinyint' then 'smallint'
            when word = 'smallint' then if(is_unsigned, 'int', 'smallint')
            when word = 'mediumint' then 'int'
            when word in ('int', 'integer') then if(is_unsigned, 'bigint', 'int')
            when word = 'bigint' then if(is_unsigned, 'decimal(20,0)', 'bigint')
            when word = 'year' then 'int'
            -- without a length PostgreSQL and Oracle hold numbers of any length
            when word in ('decimal', 'dec', 'numeric', 'fixed')
                then {{ decimal_type('length', 'coalesce(digits, 0)') }}
            when word in ('float', 'double', 'real') then 'double'
            when word = 'date' then 'date'
            when word = 'datetime' then 'timestamp_ntz'
            else 'string'
        end as proposed_type
    from types
{%- endmacro %}
