{#- What CloudCanal says of a table's columns: `dbValType`, column name to the source's own type text (`varchar(22)`,
    `bigint(20) unsigned`), and `jdbcType`, column name to the JDBC code; of a statement `tableChanges`, which lists both.
    Surprise: the message shows neither the source's product nor how a value is written. A word of MySQL decides first, then the
    code, which shows the types of other sources. The encoding of a type whose text is not documented is NULL, which the feed's
    `encodings` must fill, and string is proposed. -#}

{% macro cloudcanal_json_columns(schemas) -%}
    with parsed as (

        select
            schema_id,
            from_json(
                schema_text,
                'dbValType map<string, string>, mysqlType map<string, string>, jdbcType map<string, string>,'
                || ' sqlType map<string, string>, tableChanges struct<`table` struct<columns array<struct<'
                || 'name string, typeExpression string, typeName string, jdbcType string>>>>'
            ) as described
        from {{ schemas }}

    ),

    listed as (

        select
            schema_id,
            coalesce(
                transform(
                    described.tableChanges.table.columns,
                    listed -> struct(
                        listed.name as column_name,
                        coalesce(listed.typeExpression, listed.typeName) as source_type,
                        listed.jdbcType as code
                    )
                ),
                transform(
                    map_entries(coalesce(described.dbValType, described.mysqlType)),
                    named -> struct(
                        named.key as column_name,
                        named.value as source_type,
                        coalesce(described.jdbcType, described.sqlType)[named.key] as code
                    )
                )
            ) as columns
        from parsed

    ),

    types as (

        select
            schema_id,
            ordinal + 1 as ordinal,
            described.column_name,
            described.source_type,
            try_cast(described.code as int) as code,
            {{ cdc.type_word('described.source_type') }} as word,
            {{ cdc.type_length('described.source_type') }} as length,
            {{ cdc.type_digits('described.source_type') }} as digits,
            -- zerofill implies unsigned
            described.source_type rlike r'(?i)\b(unsigned|zerofill)\b' as is_unsigned,
            described.source_type rlike r'(?i)zone|tz' as may_have_zone
        from listed
            lateral view posexplode(columns) as ordinal, described
        where described.column_name is not null

    ),

    judged as (

        select
            *,
            case
                -- MySQL writes these in ways that are not documented
                when
                    word in ('bit', 'bool', 'boolean', 'binary', 'varbinary', 'enum', 'set', 'time', 'timestamp', 'json', 'geometry')
                    or word rlike '^(tiny|medium|long)?blob$'
                    then null
                -- SQL Server's tinyint has no sign
                when word = 'tinyint' then 'smallint'
                when word = 'smallint' then if(is_unsigned, 'int', 'smallint')
                when word = 'mediumint' then 'int'
                when word in ('int', 'integer') then if(is_unsigned, 'bigint', 'int')
                when word = 'bigint' then if(is_unsigned, 'decimal(20,0)', 'bigint')
                when word = 'year' then 'int'
                -- without a length PostgreSQL and Oracle hold numbers of any length
                when word in ('decimal', 'dec', 'numeric', 'fixed', 'number')
                    then {{ cdc.decimal_type('length', 'coalesce(digits, 0)') }}
                when word in ('float', 'double', 'real') then 'double'
                -- Oracle's has a time of day
                when word = 'date' then if(code = 93, 'timestamp_ntz', 'date')
                when word = 'datetime' then 'timestamp_ntz'
                when word rlike '^(tiny|medium|long|n)?text$|^n?(var)?char2?$' then 'string'
                when code = -6 then 'smallint'
                when code = 5 then 'smallint'
                when code = 4 then 'int'
                when code = -5 then 'bigint'
                when code in (2, 3) then {{ cdc.decimal_type('length', 'coalesce(digits, 0)') }}
                when code in (6, 7, 8) then 'double'
                when code = 91 then 'date'
                when code = 93 and not may_have_zone then 'timestamp_ntz'
                -- texts of any kind
                when code in (1, 12, -1, -9, -15, -16, 2005, 2011) then 'string'
            end as known_type
        from types

    )

    select
        schema_id,
        column_name,
        ordinal,
        source_type,
        if(known_type is not null, 'text', null) as wire_encoding,
        cast(null as int) as scale,
        cast(null as array<string>) as labels,
        cast(null as boolean) as is_optional,
        cast(null as string) as comment,
        coalesce(known_type, 'string') as proposed_type
    from judged
{%- endmacro %}
