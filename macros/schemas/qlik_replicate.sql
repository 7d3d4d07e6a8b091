{#- What a metadata record says of a table's columns: `tableColumns` of its table structure, column name to a type of
    Replicate (INT4, WSTRING, NUMERIC), with its number of bytes in the name.
    Surprise: records of rows do not refer to it. -#}

{% macro qlik_replicate_columns(schemas) -%}
    with structures as (

        select
            schema_id,
            from_json(
                schema_text,
                'tableColumns map<string, struct<ordinal string, type string, precision string, scale string>>'
            ).tableColumns as table_columns
        from {{ schemas }}

    ),

    described as (

        select
            schema_id,
            coalesce(try_cast(column_type.ordinal as int), place + 1) as ordinal,
            column_name,
            column_type.type as source_type,
            upper(column_type.type) as word,
            -- `2.0` is 2
            cast(try_cast(column_type.precision as decimal(10,0)) as int) as digits,
            if(column_type.scale is null, 0, cast(try_cast(column_type.scale as decimal(10,0)) as int)) as point_digits
        from structures
            lateral view posexplode(table_columns) as place, column_name, column_type

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
            when word = 'BOOLEAN' then 'boolean'
            when word = 'INT1' then 'tinyint'
            when word in ('INT2', 'UINT1') then 'smallint'
            when word in ('INT4', 'UINT2') then 'int'
            when word in ('INT8', 'UINT4') then 'bigint'
            when word = 'UINT8' then 'decimal(20,0)'
            when word = 'NUMERIC' then {{ cdc.decimal_type('digits', 'point_digits') }}
            when word = 'REAL4' then 'float'
            when word = 'REAL8' then 'double'
            when word = 'DATE' then 'date'
            when word = 'DATETIME' then 'timestamp_ntz'
            else 'string'
        end as proposed_type
    from described
{%- endmacro %}
