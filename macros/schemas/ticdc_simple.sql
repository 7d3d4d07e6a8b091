{#- What TiCDC's simple protocol says of a table's columns: the list `tableSchema.columns` of a BOOTSTRAP or DDL
    message. Surprise: messages of rows have no types, so gold decodes their values by the feed's encodings. -#}

{% macro ticdc_simple_columns(schemas) -%}
    with described_columns as (

        select
            schema_id,
            ordinal + 1 as ordinal,
            described,
            lower(described.dataType.mysqlType) as word,
            described.dataType.length as width,
            coalesce(described.dataType.decimal, 0) as digits,
            coalesce(described.dataType.unsigned or described.dataType.zerofill, false) as is_unsigned
        from {{ schemas }}
            lateral view posexplode(
                from_json(
                    schema_text,
                    'array<struct<name string, nullable boolean, dataType struct<
                        mysqlType string, length int, decimal int, elements array<string>,
                        unsigned boolean, zerofill boolean
                    >>>'
                )
            ) as ordinal, described
        where described.name is not null

    )

    select
        schema_id,
        described.name as column_name,
        ordinal,
        described.dataType.mysqlType as source_type,
        case
            when word in ('binary', 'varbinary', 'blob', 'tinyblob', 'mediumblob', 'longblob') then 'base64_binary'
            when word = 'enum' then 'enum_number'
            when word = 'set' then 'set_mask'
            when word = 'timestamp' then 'located_wall_clock'
            else 'text'
        end as wire_encoding,
        case when word = 'decimal' then digits end as scale,
        described.dataType.elements as labels,
        described.nullable as is_optional,
        cast(null as string) as comment,
        case
            when word = 'tinyint' then if(is_unsigned, 'smallint', 'tinyint')
            when word = 'smallint' then if(is_unsigned, 'int', 'smallint')
            when word = 'mediumint' then 'int'
            when word = 'int' then if(is_unsigned, 'bigint', 'int')
            when word = 'bigint' then if(is_unsigned, 'decimal(20,0)', 'bigint')
            when word = 'bit' then case
                when width = 1 then 'boolean'
                when width < 64 then 'bigint'
                else 'decimal(20,0)'
            end
            when word = 'decimal' and width <= 38 then concat('decimal(', width, ',', digits, ')')
            when word in ('float', 'double', 'date') then word
            when word = 'year' then 'int'
            when word = 'datetime' then 'timestamp_ntz'
            when word = 'timestamp' then 'timestamp'
            when word in ('binary', 'varbinary', 'blob', 'tinyblob', 'mediumblob', 'longblob') then 'binary'
            else 'string'
        end as proposed_type
    from described_columns
{%- endmacro %}
