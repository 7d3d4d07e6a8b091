{#- OceanBase Migration Service (OMS) in Canal's envelope: no `id`, no `gtid`. One message carries one row; an update
    also carries `old`, the prior values of the changed columns.
    Surprise: numbers are bare, with more digits than a double has. Rules: docs/formats/canal_json_oms.md -#}

{% macro parse_canal_json_oms(messages) -%}
    with {{ cdc._canal_exact_messages(messages, cdc._canal_fields()) }},

    {{ cdc._canal_statements('sent') }},

    operations as (

        select
            *,
            {{ cdc._canal_operation() }} as message_operation,
            cast(null as string) as own_error,
            'data' as rows_from,
            {{ cdc._canal_sent_rows() }} as sent_rows,
            {{ cdc._canal_rows_before() }} as rows_before,
            false as may_be_minimal,
            {{ cdc._canal_foreign_text() }} as foreign_text,
            cast(null as string) as source_type,
            {{ cdc.epoch_millis('event_text') }} as changed_at,
            {{ cdc.epoch_millis('capture_text') }} as captured_at,
            cast(array() as array<decimal(38, 0)>) as position,
            'offset' as order_scope
        from worded

    ),

    {{ cdc._canal_row_images('operations') }},

    {{ cdc._canal_parsed_rows('row_images', 'canal_json_oms') }}

    {{ cdc.to_change_contract('parsed_rows') }}
{%- endmacro %}
