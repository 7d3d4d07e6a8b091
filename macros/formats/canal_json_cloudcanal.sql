{#- CloudCanal's output in Canal's envelope. One message carries N row images in `data`; an update also carries
    `old`, the rows as they were, paired with `data` by index.
    Surprise: only the envelope is Canal's. How a value is written is not, and `id` is 0.
    Rules: docs/formats/canal_json_cloudcanal.md -#}

{% macro parse_canal_json_cloudcanal(messages) -%}
    with {{ cdc._canal_exact_messages(messages, cdc._canal_fields() ~ ', sqlType string, tableChanges string') }},

    typed as (

        select
            * except (type_text),
            {{ cdc._cloudcanal_types(['mysqlType', 'sqlType', 'tableChanges']) }} as type_text
        from sent

    ),

    {{ cdc._canal_statements('typed') }},

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
            case when message is not null then 'mysql' end as source_type,
            {{ cdc.epoch_millis('event_text') }} as changed_at,
            {{ cdc.epoch_millis('capture_text') }} as captured_at,
            cast(array() as array<decimal(38, 0)>) as position,
            'offset' as order_scope
        from worded

    ),

    {{ cdc._canal_row_images('operations') }},

    {{ cdc._canal_parsed_rows('row_images', 'canal_json_cloudcanal') }}

    {{ cdc.to_change_contract('parsed_rows') }}
{%- endmacro %}
