{#- What canal says of a table's columns: the JSON object `mysqlType`, column name to MySQL type text:
    `bigint(20) unsigned`, `bigint unsigned` (after an ALTER), `VARCHAR(24)` (as somebody typed the ALTER).
    Surprise: `sqlType`, beside it, changes with the value and is no schema. -#}

{% macro canal_json_columns(schemas) -%}
    with types as (

        {{ cdc.named_types(schemas) }}

    ),

    families as (

        select
            *,
            case
                when word in ('decimal', 'dec', 'numeric', 'fixed') then 'decimal'
                when word in ('int', 'integer', 'mediumint') then 'int'
                when word in ('bool', 'boolean', 'tinyint') then 'tinyint'
                when word in ('double', 'real') then 'double'
                when word in ('binary', 'varbinary', 'blob', 'tinyblob', 'mediumblob', 'longblob')
                    then 'binary'
                when word in (
                    'geometry', 'point', 'linestring', 'polygon', 'multipoint', 'multilinestring',
                    'multipolygon', 'geometrycollection', 'geomcollection'
                )
                    then 'binary'
                else word
            end as family
        from types

    )

    select
        schema_id,
        column_name,
        ordinal,
        source_type,
        case
            when family = 'binary' then 'latin1_binary'
            -- of a text with a length, as somebody typed it in an ALTER, canal takes the bytes for those of a blob
            when word = 'text' and length is not null then 'latin1_text'
            when family = 'enum' then 'enum_number'
            when family = 'set' then 'set_mask'
            when family = 'timestamp' then 'zoned_wall_clock'
            else 'text'
        end as wire_encoding,
        case
            when family = 'decimal' then coalesce(digits, 0)
            -- canal drops zero bytes at the end of binary(n): they are filled up to n
            when word = 'binary' then coalesce(length, 1)
        end as scale,
        case
            when family in ('enum', 'set')
                -- quotes are doubled, and a backslash is a letter like any other (captured)
                then transform(
                    regexp_extract_all(source_type, r"'((?:[^']|'')*)'", 1),
                    label -> replace(label, "''", "'")
                )
        end as labels,
        cast(null as boolean) as is_optional,
        cast(null as string) as comment,
        case
            when family = 'tinyint' then if(is_unsigned, 'smallint', 'tinyint')
            when family = 'smallint' then if(is_unsigned, 'int', 'smallint')
            when word = 'mediumint' then 'int'
            when family = 'int' then if(is_unsigned, 'bigint', 'int')
            when family = 'bigint' then if(is_unsigned, 'decimal(20,0)', 'bigint')
            when family = 'serial' then 'decimal(20,0)'
            when family = 'bit' then case
                when coalesce(length, 1) = 1 then 'boolean'
                when length < 64 then 'bigint'
                else 'decimal(20,0)'
            end
            when family = 'decimal' then {{ cdc.decimal_type('coalesce(length, 10)', 'coalesce(digits, 0)') }}
            when family in ('float', 'double', 'date', 'binary') then family
            when family = 'year' then 'int'
            when family = 'datetime' then 'timestamp_ntz'
            when family = 'timestamp' then 'timestamp'
            else 'string'
        end as proposed_type
    from families
{%- endmacro %}
