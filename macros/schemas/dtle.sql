{#- What dtle says of a table's columns: Debezium's schema block, with its names for types.
    Surprise: labels of enum and set have lost their quotes, so they tell nothing; BIGINT UNSIGNED is a plain int64. -#}

{% macro dtle_columns(schemas) -%}
    with described_columns as (

        {{ debezium_json_columns(schemas) }}

    )

    select
        schema_id,
        column_name,
        ordinal,
        source_type,
        if(wire_encoding = 'escaped_label', 'text', wire_encoding) as wire_encoding,
        scale,
        cast(null as array<string>) as labels,
        is_optional,
        comment,
        proposed_type
    from described_columns
{%- endmacro %}
