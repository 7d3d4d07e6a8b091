{#- What a control record says of a table's columns: `columns` of its table definition, column name to a type of DMS
    (INT32, WSTRING, NUMERIC) with length, precision and scale.
    Surprise: records of rows do not refer to it, and how bytes are written is a setting of the task. -#}

{% macro aws_dms_columns(schemas) -%}
    with definitions as (

        select
            schema_id,
            from_json(
                schema_text,
                'columns map<string, struct<
                    type string, length string, precision string, scale string, nullable boolean>>'
            ).columns as described_columns
        from {{ schemas }}

    ),

    described as (

        select
            schema_id,
            ordinal + 1 as ordinal,
            column_name,
            column_type,
            upper(column_type.type) as word,
            -- `2.0` is 2
            cast(try_cast(column_type.precision as decimal(10,0)) as int) as digits,
            if(column_type.scale is null, 0, cast(try_cast(column_type.scale as decimal(10,0)) as int)) as point_digits
        from definitions
            lateral view posexplode(described_columns) as ordinal, column_name, column_type

    )

    select
        schema_id,
        column_name,
        ordinal,
        column_type.type as source_type,
        'text' as wire_encoding,
        cast(null as int) as scale,
        cast(null as array<string>) as labels,
        column_type.nullable as is_optional,
        cast(null as string) as comment,
        case
            when word = 'BOOLEAN' then 'boolean'
            -- the documents count bytes (INT4), a control record bits (INT32)
            when word rlike '^INT[0-9]+$' then 'bigint'
            when word rlike '^UINT[0-9]+$' then 'decimal(20,0)'
            when word = 'NUMERIC' then {{ cdc.decimal_type('digits', 'point_digits') }}
            when word in ('REAL4', 'REAL8') then 'double'
            when word = 'DATE' then 'date'
            when word = 'DATETIME' then 'timestamp_ntz'
            else 'string'
        end as proposed_type
    from described
{%- endmacro %}
