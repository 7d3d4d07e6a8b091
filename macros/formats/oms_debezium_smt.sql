{#- OMS to Kafka, format DebeziumSmt: one record is one row, its columns at the root, with `__deleted` as the only
    other field. Surprise: nothing shows table or time, nor whether it is an insert or an update.
    Rules: docs/formats/oms_debezium_smt.md -#}

{% macro parse_oms_debezium_smt(messages) -%}
    with {{ cdc._flattened_messages(messages) }},

    split_up as (

        select
            *,
            map_filter(message, (column_name, wire_text) -> column_name <> '__deleted') as sent_row,
            map_filter(message, (column_name, wire_text) -> column_name = '__deleted') as added_fields,
            '__' as added_prefix
        from decoded

    ),

    {{ cdc._flattened_parsed_rows('split_up') }}

    {{ cdc.to_change_contract('parsed_rows') }}
{%- endmacro %}
