{#- Tencent CKafka's data synchronisation in Canal's envelope, without keys and types. One message carries N row images
    in `data`; an update also carries `old`, the rows as they were.
    Surprise: `es` and `ts` are seconds. Rules: docs/formats/canal_json_ckafka.md -#}

{% macro parse_canal_json_ckafka(messages) -%}
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
            case when message is not null then 'mysql' end as source_type,
            {{ cdc.epoch_millis(cdc._canal_seconds_as_millis('event_text')) }} as changed_at,
            {{ cdc.epoch_millis(cdc._canal_seconds_as_millis('capture_text')) }} as captured_at,
            cast(array() as array<decimal(38, 0)>) as position,
            'offset' as order_scope
        from worded

    ),

    {{ cdc._canal_row_images('operations') }},

    {{ cdc._canal_parsed_rows('row_images', 'canal_json_ckafka') }}

    {{ cdc.to_change_contract('parsed_rows') }}
{%- endmacro %}


{#- Below 10^11 a number counts seconds (to the year 5138), above it milliseconds (from 1973 on). -#}
{% macro _canal_seconds_as_millis(text) -%}
    if(abs(try_cast({{ text }} as bigint)) < 100000000000, 1000, 1) * try_cast({{ text }} as bigint)
{%- endmacro %}
