{#- What TiCDC's open protocol says of a row's columns: beside every value `t`, the number of TiDB's type, and `f`, the
    flags (1 binary, 64 nullable, 128 unsigned). Surprise: TEXT is base64, as BLOB is, and a binary string is written
    as Go quotes text. It has neither length nor labels. -#}

{% macro ticdc_open_columns(schemas) -%}
    with sent_columns as (

        select
            schema_id,
            ordinal + 1 as ordinal,
            column_name,
            try_cast(sent.t as int) as type_number,
            sent.t as type_text,
            coalesce(try_cast(sent.f as bigint), 0) as flags
        from {{ schemas }}
            lateral view posexplode(from_json(schema_text, 'map<string, struct<t string, f string>>'))
                as ordinal, column_name, sent

    ),

    flagged as (

        select
            *,
            flags & 1 = 1 as is_binary,
            flags & 64 = 64 as is_nullable,
            flags & 128 = 128 as is_unsigned
        from sent_columns

    ),

    named as (

        select
            *,
            case
                when type_number = 1 then 'tinyint'
                when type_number = 2 then 'smallint'
                when type_number = 3 then 'int'
                when type_number = 4 then 'float'
                when type_number = 5 then 'double'
                when type_number = 7 then 'timestamp'
                when type_number = 8 then 'bigint'
                when type_number = 9 then 'mediumint'
                when type_number in (10, 14) then 'date'
                when type_number = 11 then 'time'
                when type_number = 12 then 'datetime'
                when type_number = 13 then 'year'
                when type_number in (15, 253) then if(is_binary, 'varbinary', 'varchar')
                when type_number = 16 then 'bit'
                when type_number = 245 then 'json'
                when type_number in (0, 246) then 'decimal'
                when type_number = 247 then 'enum'
                when type_number = 248 then 'set'
                when type_number = 249 then if(is_binary, 'tinyblob', 'tinytext')
                when type_number = 250 then if(is_binary, 'mediumblob', 'mediumtext')
                when type_number = 251 then if(is_binary, 'longblob', 'longtext')
                when type_number = 252 then if(is_binary, 'blob', 'text')
                when type_number = 254 then if(is_binary, 'binary', 'char')
            end as word
        from flagged

    )

    select
        schema_id,
        column_name,
        ordinal,
        coalesce(concat(word, if(is_unsigned, ' unsigned', '')), concat('type ', type_text)) as source_type,
        case
            when type_number between 249 and 252 then if(is_binary, 'base64_binary', 'base64_text')
            when word in ('varbinary', 'binary') then 'go_quoted_binary'
            when word = 'timestamp' then 'zoned_wall_clock'
            else 'text'
        end as wire_encoding,
        cast(null as int) as scale,
        cast(null as array<string>) as labels,
        is_nullable as is_optional,
        cast(null as string) as comment,
        case
            when word = 'tinyint' then if(is_unsigned, 'smallint', 'tinyint')
            when word = 'smallint' then if(is_unsigned, 'int', 'smallint')
            when word in ('mediumint', 'year') then 'int'
            when word = 'int' then if(is_unsigned, 'bigint', 'int')
            when word = 'bigint' then if(is_unsigned, 'decimal(20,0)', 'bigint')
            when word = 'bit' then 'decimal(20,0)'
            when word in ('float', 'double', 'date', 'timestamp') then word
            when word = 'datetime' then 'timestamp_ntz'
            when word in ('varbinary', 'binary') or type_number between 249 and 252 and is_binary then 'binary'
            else 'string'
        end as proposed_type
    from named
{%- endmacro %}
