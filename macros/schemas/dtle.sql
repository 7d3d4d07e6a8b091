{#- What dtle says of a table's columns: Debezium's schema block, with its names for types.
    Surprise: labels of enum and set have lost their quotes, so they are useless; BIGINT UNSIGNED is a plain int64;
    a full load counts years from 1900, and the zero timestamp is the year 1. -#}

{% macro dtle_columns(schemas) -%}
    with described_columns as (

        {{ cdc.debezium_json_columns(schemas) }}

    )

    select
        schema_id,
        column_name,
        ordinal,
        source_type,
        case
            when wire_encoding = 'escaped_label' then 'text'
            when source_type = 'io.debezium.time.Year' then 'dtle_year'
            when source_type = 'io.debezium.time.ZonedTimestamp' then 'dtle_timestamp'
            else wire_encoding
        end as wire_encoding,
        scale,
        cast(null as array<string>) as labels,
        is_optional,
        comment,
        proposed_type
    from described_columns
{%- endmacro %}
