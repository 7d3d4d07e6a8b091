{#- The columns that a record of DTS names, with the type that holds every value of them: the record has no length,
    scale or sign. MySQL's numbers of types are known; for another engine every column stays text. `isBinary` is there
    only where a value came as bytes, which no number shows: BLOB and TEXT share one. -#}
{% macro _dts_columns(schemas) -%}
    with described_columns as (

        select
            schema_id,
            ordinal + 1 as ordinal,
            described.name as column_name,
            described.dataTypeNumber as type_number,
            coalesce(described.isBinary, false) as is_binary,
            message.sourceType = 'MySQL' as is_mysql
        from (
            select
                schema_id,
                from_json(
                    schema_text,
                    'sourceType string, fields array<struct<name string, dataTypeNumber int, isBinary boolean>>'
                ) as message
            from {{ schemas }}
        ) as texts
            lateral view posexplode(message.fields) as ordinal, described
        where described.name is not null

    ),

    types as (

        select
            *,
            case
                when not coalesce(is_mysql, false) then null
                when type_number in (0, 246) then 'decimal'
                when type_number = 1 then 'tinyint'
                when type_number = 2 then 'smallint'
                when type_number = 3 then 'int'
                when type_number = 4 then 'float'
                when type_number = 5 then 'double'
                when type_number in (7, 17) then 'timestamp'
                when type_number = 8 then 'bigint'
                when type_number = 9 then 'mediumint'
                when type_number in (10, 14) then 'date'
                when type_number in (11, 19) then 'time'
                when type_number in (12, 18) then 'datetime'
                when type_number = 13 then 'year'
                when type_number in (15, 253) then 'varchar'
                when type_number = 16 then 'bit'
                when type_number = 245 then 'json'
                when type_number = 247 then 'enum'
                when type_number = 248 then 'set'
                when type_number = 249 then 'tinyblob'
                when type_number = 250 then 'mediumblob'
                when type_number = 251 then 'longblob'
                when type_number = 252 then 'blob'
                when type_number = 254 then 'char'
                when type_number = 255 then 'geometry'
            end as word
        from described_columns

    )

    select
        schema_id,
        column_name,
        ordinal,
        coalesce(word, cast(type_number as string)) as source_type,
        if(is_binary, 'hex_binary', 'text') as wire_encoding,
        cast(null as int) as scale,
        cast(null as array<string>) as labels,
        cast(null as boolean) as is_optional,
        cast(null as string) as comment,
        case
            when is_binary then 'binary'
            when word = 'tinyint' then 'smallint'
            when word in ('smallint', 'mediumint', 'year') then 'int'
            when word = 'int' then 'bigint'
            when word in ('bigint', 'bit') then 'decimal(20,0)'
            when word in ('float', 'double', 'date', 'timestamp') then word
            when word = 'datetime' then 'timestamp_ntz'
            else 'string'
        end as proposed_type
    from types
{%- endmacro %}
