{#- Tencent CKafka's data synchronisation in Canal's envelope, without keys and types. One message carries N row images
    in `data`; an update also carries `old`, the rows as they were.
    Surprise: `es` and `ts` are seconds. Rules: docs/formats/canal_json_ckafka.md -#}

{% macro parse_canal_json_ckafka(messages) -%}
    {{ cdc._canal_changes(
        sent=cdc._canal_exact_messages(messages, cdc._canal_fields()),
        format='canal_json_ckafka',
        message_operation=cdc._canal_operation(),
        reason=cdc._canal_reason(),
        sent_rows=cdc._canal_sent_rows(),
        foreign_text=cdc._canal_foreign_text(),
        event_millis=cdc._canal_seconds_as_millis('event_text'),
        capture_millis=cdc._canal_seconds_as_millis('capture_text')
    ) }}
{%- endmacro %}


{#- Below 10^11 a number counts seconds (to the year 5138), above it milliseconds (from 1973 on). -#}
{% macro _canal_seconds_as_millis(text) -%}
    if(abs(try_cast({{ text }} as bigint)) < 100000000000, 1000, 1) * try_cast({{ text }} as bigint)
{%- endmacro %}
