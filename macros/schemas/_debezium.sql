{#- The columns that a Kafka Connect `schema` block lists, from a relation with a row for each block: schema_id, `fields` of the
    table's rows, `bare_numbers` among them, and `is_mysql`, whether labels are MySQL's. -#}
{% macro _connect_columns(blocks) -%}
    described_columns as (

        select
            schema_id,
            ordinal + 1 as ordinal,
            described,
            coalesce(described.name, described.type) as type_name,
            cast(
                if(described.name = 'io.debezium.data.Bits', described.parameters['length'], described.parameters['scale'])
                as int
            ) as scale,
            coalesce(cast(described.parameters['connect.decimal.precision'] as int), 38) as digits,
            coalesce(cast(described.parameters['length'] as int), 1) as bits,
            coalesce(array_contains(bare_numbers, described.field), false) as is_bare_number,
            described.parameters['allowed'] as allowed,
            described.parameters['__debezium.source.column.type'] as propagated_type,
            -- they escape a comma inside a label; PostgreSQL's labels cannot be separated then
            is_mysql
        from {{ blocks }}
            lateral view posexplode(fields) as ordinal, described

    ),

    judged as (

        select
            *,
            -- what wraps below zero: zerofill implies unsigned, which no Debezium knows, nor 3.6.0 INTEGER UNSIGNED
            case
                when type_name = 'int64' and propagated_type rlike r'(?i)^(BIGINT|INT8)\b.*(UNSIGNED|ZEROFILL)|^SERIAL'
                    then 64
                when type_name = 'int32' and propagated_type rlike r'(?i)^INT(EGER|4)?\b.*(UNSIGNED|ZEROFILL)' then 32
                when type_name not in ('int8', 'int16', 'int32') then null
                when propagated_type not rlike '(?i)ZEROFILL' or propagated_type rlike '(?i)UNSIGNED' then null
                when propagated_type rlike r'(?i)^(MEDIUMINT|MIDDLEINT|INT3)\b' then 24
                when propagated_type rlike r'(?i)^(SMALLINT|INT2)\b' then 16
                when propagated_type rlike r'(?i)^(TINYINT|INT1)\b' then 8
            end as unsigned_bits,
            -- Spark wants 0 <= scale <= precision; PostgreSQL does not
            greatest(scale, 0) as spark_scale,
            greatest(digits - least(scale, 0), scale) as spark_precision
        from described_columns

    )

    select
        schema_id,
        described.field as column_name,
        ordinal,
        coalesce(propagated_type, type_name) as source_type,
        case
            when is_bare_number and type_name = 'org.apache.kafka.connect.data.Decimal' then 'text'
            when is_bare_number then 'bare_number'
            when unsigned_bits is not null then concat('wrapped_unsigned_', unsigned_bits)
            when type_name = 'bytes' then 'base64_binary'
            when type_name = 'org.apache.kafka.connect.data.Decimal' then 'connect_decimal'
            when type_name = 'io.debezium.data.VariableScaleDecimal' then 'variable_scale_decimal'
            when type_name in ('io.debezium.time.Date', 'org.apache.kafka.connect.data.Date')
                then 'epoch_days'
            when type_name in (
                'io.debezium.time.Timestamp', 'org.apache.kafka.connect.data.Timestamp'
            )
                then 'epoch_millis'
            when type_name = 'io.debezium.time.MicroTimestamp' then 'epoch_micros'
            when type_name = 'io.debezium.time.NanoTimestamp' then 'epoch_nanos'
            when type_name in ('io.debezium.time.Time', 'org.apache.kafka.connect.data.Time')
                then 'millis_of_day'
            when type_name = 'io.debezium.time.MicroTime' then 'micros_of_day'
            when type_name = 'io.debezium.time.NanoTime' then 'nanos_of_day'
            when type_name = 'io.debezium.time.IsoDate' then 'iso_date'
            when type_name = 'io.debezium.time.IsoTimestamp' then 'iso_timestamp'
            when type_name = 'io.debezium.time.IsoTime' then 'iso_time'
            when type_name = 'io.debezium.data.Bits' then 'little_endian_bits'
            when type_name = 'io.debezium.data.Enum' and is_mysql then 'escaped_label'
            when type_name = 'array'
                and (
                    described.items.name is null and described.items.type = 'bytes'
                    or described.items.name in ('io.debezium.data.Bits', 'io.debezium.data.VariableScaleDecimal')
                    or described.items.name rlike r'^(io\.debezium\.time\.(Micro|Nano)?(Time|Timestamp|Date)|org\.apache\.kafka\.connect\.data\.\w+)\z'
                )
                then 'encoded_list'
            else 'text'
        end as wire_encoding,
        scale,
        case
            when is_mysql
                then transform(
                    split(allowed, r'(?<!\\),'),
                    label -> replace(label, r'\,', ',')
                )
            else split(allowed, ',')
        end as labels,
        described.optional as is_optional,
        described.parameters['__debezium.source.column.comment'] as comment,
        case
            when unsigned_bits = 64 then 'decimal(20,0)'
            when unsigned_bits = 32 then 'bigint'
            when unsigned_bits in (16, 24) then 'int'
            when unsigned_bits = 8 then 'smallint'
            when type_name = 'int8' then 'tinyint'
            when type_name = 'int16' then 'smallint'
            when type_name in ('int32', 'io.debezium.time.Year') then 'int'
            when type_name = 'int64' then 'bigint'
            when type_name in ('float32', 'float') then 'float'
            when type_name in ('float64', 'double') then 'double'
            when type_name = 'boolean' then 'boolean'
            when type_name = 'bytes' then 'binary'
            when type_name = 'org.apache.kafka.connect.data.Decimal' and spark_precision <= 38
                then concat('decimal(', spark_precision, ',', spark_scale, ')')
            when type_name in (
                'io.debezium.time.Date', 'org.apache.kafka.connect.data.Date',
                'io.debezium.time.IsoDate'
            )
                then 'date'
            when type_name in (
                'io.debezium.time.Timestamp', 'org.apache.kafka.connect.data.Timestamp',
                'io.debezium.time.MicroTimestamp', 'io.debezium.time.NanoTimestamp',
                'io.debezium.time.IsoTimestamp'
            )
                then 'timestamp_ntz'
            when type_name = 'io.debezium.time.ZonedTimestamp' then 'timestamp'
            when type_name = 'io.debezium.data.Bits' and bits < 64 then 'bigint'
            when type_name = 'io.debezium.data.Bits' and bits = 64 then 'decimal(20,0)'
            when type_name = 'array' and described.items.name is null
                then case described.items.type
                    when 'string' then 'array<string>'
                    when 'int16' then 'array<smallint>'
                    when 'int32' then 'array<int>'
                    when 'int64' then 'array<bigint>'
                    when 'boolean' then 'array<boolean>'
                    else 'string'
                end
            else 'string'
        end as proposed_type
    from judged
{%- endmacro %}


{#- The type of one field of a block, as far as it is read. -#}
{% macro connect_field() -%}
    struct<
        field string, type string, name string, optional boolean,
        parameters map<string, string>, items struct<type string, name string>
    >
{%- endmacro %}
