{#- Debezium's flattening transform (ExtractNewRecordState): one record is one row, its columns at the root beside a few
    added fields.
    Surprise: a record without a value is a delete, often the only trace of one; its key is in the Kafka key.
    Rules: docs/formats/debezium_smt.md -#}

{% macro parse_debezium_smt(messages) -%}
    with {{ cdc._flattened_messages(messages) }},

    prefixed as (

        select
            *,
            coalesce(feed_settings['added_prefix'], '__') as added_prefix
        from decoded

    ),

    split_up as (

        select
            *,
            map_filter(
                message,
                (column_name, wire_text) -> not (startswith(column_name, added_prefix) or column_name = '__deleted')
            ) as sent_row,
            map_filter(
                message, (column_name, wire_text) -> startswith(column_name, added_prefix) or column_name = '__deleted'
            ) as added_fields
        from prefixed

    ),

    {{ cdc._flattened_parsed_rows('split_up') }}

    {{ cdc.to_change_contract('parsed_rows') }}
{%- endmacro %}
