{#- Tencent CKafka's data synchronisation in Canal's envelope, without keys and types. One message carries N row images
    in `data`; an update also carries `old`, the rows as they were.
    Surprise: `es` and `ts` are seconds. Rules: docs/formats/canal_json_ckafka.md -#}

{% macro parse_canal_json_ckafka(messages) -%}
    with {{ cdc._canal_exact_messages(messages, cdc._canal_fields()) }},

    {{ cdc._canal_operations('sent') }},

    timed as (

        select
            * except (changed_at, captured_at),
            {{ cdc.epoch_millis(cdc._canal_seconds_as_millis('event_text')) }} as changed_at,
            {{ cdc.epoch_millis(cdc._canal_seconds_as_millis('capture_text')) }} as captured_at
        from operations

    ),

    {{ cdc._canal_parsed_rows('timed', 'canal_json_ckafka') }}

    {{ cdc.to_change_contract('parsed_rows') }}
{%- endmacro %}


{% macro canal_json_ckafka_row_before(relation) -%}
    {{ cdc.row_before_by_changed_columns(relation) }}
{%- endmacro %}


{#- Below 10^11 a number counts seconds (to the year 5138), above it milliseconds (from 1973 on). -#}
{% macro _canal_seconds_as_millis(text) -%}
    if(abs(try_cast({{ text }} as bigint)) < 100000000000, 1000, 1) * try_cast({{ text }} as bigint)
{%- endmacro %}
