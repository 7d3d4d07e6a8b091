{#- CloudCanal's output in Canal's envelope. One message carries N row images in `data`; an update also carries
    `old`, the rows as they were, paired with `data` by index.
    Surprise: only the envelope is Canal's. How a value is written is not, and `id` is 0.
    Rules: docs/formats/canal_json_cloudcanal.md -#}

{% macro parse_canal_json_cloudcanal(messages) -%}
    {{ cdc._canal_changes(
        sent=cdc._canal_exact_messages(
            messages,
            cdc._canal_fields() ~ ', sqlType string, tableChanges string',
            cdc._cloudcanal_types({
                'mysqlType': cdc.without_marks('message.mysqlType'),
                'sqlType': cdc.without_marks('message.sqlType'),
                'tableChanges': cdc.without_marks('message.tableChanges')
            })
        ),
        format='canal_json_cloudcanal',
        message_operation=cdc._canal_operation(),
        reason=cdc._canal_reason(),
        sent_rows=cdc._canal_sent_rows(),
        foreign_text=cdc._canal_foreign_text()
    ) }}
{%- endmacro %}
