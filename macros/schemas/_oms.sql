{#- The columns that a format of OMS describes: `types` is a relation of schema_id, column_name, ordinal, source_type and its
    word, length and digits. The names are OMS's own for all sources, without sign, mostly without length. Types that the
    documents do not list stay text. -#}
{% macro _oms_columns(types) -%}
    select
        schema_id,
        column_name,
        ordinal,
        source_type,
        case
            when word rlike '^(tiny|medium|long)?blob$' or word in ('binary', 'varbinary', 'raw', 'bfile')
                then 'base64_binary'
            -- the stream leaves out zero bytes in front, a full load does not
            when word = 'bit' then 'big_endian_bits'
            -- seconds since 1970; an invalid one is a wall clock
            when word = 'timestamp' then 'epoch_seconds'
            -- a wall clock; one document has milliseconds
            when word = 'datetime' then 'epoch_millis'
            else 'text'
        end as wire_encoding,
        cast(null as int) as scale,
        cast(null as array<string>) as labels,
        cast(null as boolean) as is_optional,
        cast(null as string) as comment,
        case
            when word in ('tinyint', 'bool') then 'smallint'
            when word in ('smallint', 'mediumint', 'year') then 'int'
            when word = 'int' then 'bigint'
            when word in ('bigint', 'int64') then 'decimal(20,0)'
            -- Oracle's has up to 38 digits
            when word = 'integer' then 'decimal(38,0)'
            when word in ('decimal', 'numeric', 'number')
                then {{ cdc.decimal_type('length', 'coalesce(digits, 0)') }}
            when word = 'binary_float' then 'float'
            when word in ('double', 'binary_double') then 'double'
            when word = 'boolean' then 'boolean'
            when word = 'date' then 'date'
            when word = 'datetime' then 'timestamp_ntz'
            when word in ('timestamp', 'zoned_datetime') then 'timestamp'
            when word = 'bit' then 'decimal(20,0)'
            when word rlike '^(tiny|medium|long)?blob$' or word in ('binary', 'varbinary', 'raw', 'bfile')
                then 'binary'
            -- FLOAT too: in Oracle mode it is an exact decimal
            else 'string'
        end as proposed_type
    from {{ types }}
{%- endmacro %}


{#- Types as Default's images have them: a JSON object of column name and {"schemaType": "INT"}. -#}
{% macro _oms_light_types(schemas) -%}
    select
        schema_id,
        ordinal + 1 as ordinal,
        column_name,
        described.schemaType as source_type,
        {{ cdc.type_word('described.schemaType') }} as word,
        {{ cdc.type_length('described.schemaType') }} as length,
        {{ cdc.type_digits('described.schemaType') }} as digits
    from {{ schemas }}
        lateral view posexplode(from_json(schema_text, 'map<string, struct<schemaType string>>'))
            as ordinal, column_name, described
{%- endmacro %}
