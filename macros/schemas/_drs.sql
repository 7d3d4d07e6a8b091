{#- The columns that a `mysqlType` names, with the type that holds every value of them: the messages have no
    length, scale or sign. `timestamp_encoding` is what the formats differ in. Types that the documents do not list stay text. -#}
{% macro _drs_columns(schemas, timestamp_encoding) -%}
    with types as (

        {{ cdc.named_types(schemas) }}

    )

    select
        schema_id,
        column_name,
        ordinal,
        source_type,
        case
            when word in ('binary', 'varbinary', 'blob', 'tinyblob', 'mediumblob', 'longblob')
                then 'byte_list'
            when word = 'timestamp' then '{{ timestamp_encoding }}'
            else 'text'
        end as wire_encoding,
        cast(null as int) as scale,
        cast(null as array<string>) as labels,
        cast(null as boolean) as is_optional,
        cast(null as string) as comment,
        case
            when word = 'tinyint' then 'smallint'
            when word in ('smallint', 'mediumint') then 'int'
            when word in ('int', 'integer') then 'bigint'
            when word = 'bigint' then 'decimal(20,0)'
            when word in ('float', 'double') then word
            when word = 'datetime' then 'timestamp_ntz'
            when word = 'timestamp' then 'timestamp'
            when word in ('binary', 'varbinary', 'blob', 'tinyblob', 'mediumblob', 'longblob')
                then 'binary'
            else 'string'
        end as proposed_type
    from types
{%- endmacro %}
