{#- Canal flat JSON (alibaba/canal, flatMessage). One message carries N row images in `data`; an update
    also carries `old`, the prior values of the changed columns, paired with `data` by index.
    Surprise: `id`, `es` and `ts` order nothing; only the offset does. With binlog_row_image=MINIMAL an update has only what
    it changed, mostly without its key. Rules: docs/formats/canal_json.md -#}

{% macro parse_canal_json(messages) -%}
    with {{ cdc._canal_messages(messages, cdc._canal_fields()) }},

    {{ cdc._canal_statements('sent') }},

    operations as (

        select
            *,
            {{ cdc._canal_operation() }} as message_operation,
            cast(null as string) as own_error,
            'data' as rows_from,
            {{ cdc._canal_sent_rows() }} as sent_rows,
            {{ cdc._canal_rows_before() }} as rows_before,
            true as may_be_minimal,
            text as foreign_text,
            case when message is not null then 'mysql' end as source_type,
            {{ cdc.epoch_millis('event_text') }} as changed_at,
            {{ cdc.epoch_millis('capture_text') }} as captured_at,
            cast(array() as array<decimal(38, 0)>) as position,
            'offset' as order_scope
        from worded

    ),

    {{ cdc._canal_row_images('operations') }},

    {{ cdc._canal_parsed_rows('row_images', 'canal_json') }},

    completed_rows as (

        select
            * except (is_before_complete),
            is_before_complete
            and (
                operation = 'update'
                or key_columns is null
                or size(array_except(map_keys(before_image), key_columns)) > 0
            ) as is_before_complete
        from parsed_rows

    )

    {{ cdc.to_change_contract('completed_rows') }}
{%- endmacro %}
