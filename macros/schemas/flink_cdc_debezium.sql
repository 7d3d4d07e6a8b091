{#- What Flink CDC says of a table's columns: a Kafka Connect `schema` block, with the option include-schema. Surprise:
    the values are not in its encodings but in those of Flink's JSON: a decimal is a number, a date 2024-02-29, and what
    the block calls Bits are bytes in base64. -#}

{% macro flink_cdc_debezium_columns(schemas) -%}
    with blocks as (

        select
            schema_id,
            from_json(
                schema_text,
                'fields array<struct<field string, fields array<struct<
                    field string, type string, name string, optional boolean, doc string,
                    parameters map<string, string>
                >>>>'
            ).fields as parts
        from {{ schemas }}

    ),

    described_columns as (

        select
            schema_id,
            ordinal + 1 as ordinal,
            described,
            coalesce(described.name, described.type) as type_name,
            cast(described.parameters['scale'] as int) as scale,
            cast(described.parameters['connect.decimal.precision'] as int) as digits
        from blocks
            lateral view posexplode(filter(parts, part -> part.field = 'after')[0].fields) as ordinal, described

    )

    select
        schema_id,
        described.field as column_name,
        ordinal,
        type_name as source_type,
        if(type_name = 'io.debezium.data.Bits', 'base64_binary', 'text') as wire_encoding,
        scale,
        cast(null as array<string>) as labels,
        described.optional as is_optional,
        described.doc as comment,
        case
            when type_name = 'int16' then 'smallint'
            when type_name = 'int32' then 'int'
            when type_name = 'int64' then 'bigint'
            when type_name = 'boolean' then 'boolean'
            when type_name = 'float' then 'float'
            when type_name = 'double' then 'double'
            when type_name = 'org.apache.kafka.connect.data.Decimal' and digits <= 38
                then concat('decimal(', digits, ',', scale, ')')
            when type_name = 'io.debezium.time.Date' then 'date'
            when type_name in ('io.debezium.time.Timestamp', 'io.debezium.time.MicroTimestamp') then 'timestamp_ntz'
            when type_name = 'io.debezium.time.ZonedTimestamp' then 'timestamp'
            when type_name = 'io.debezium.data.Bits' then 'binary'
            else 'string'
        end as proposed_type
    from described_columns
{%- endmacro %}
