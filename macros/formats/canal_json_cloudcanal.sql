{#- CloudCanal's output in Canal's envelope. One message carries N row images in `data`; an update also carries
    `old`, the rows as they were, paired with `data` by position.
    Surprise: only the envelope is Canal's. How a value is written is not, and `id` is 0.
    Rules: docs/formats/canal_json_cloudcanal.md -#}

{% macro parse_canal_json_cloudcanal(messages) -%}
    {{ _canal_changes(
        sent=_canal_exact_messages(
            messages,
            _canal_fields() ~ ', sqlType string, tableChanges string',
            _cloudcanal_types({
                'mysqlType': without_marks('message.mysqlType'),
                'sqlType': without_marks('message.sqlType'),
                'tableChanges': without_marks('message.tableChanges')
            })
        ),
        format='canal_json_cloudcanal',
        message_operation=_canal_operation(),
        reason=_canal_reason(),
        sent_rows=_canal_sent_rows(),
        foreign_text=_canal_foreign_text()
    ) }}
{%- endmacro %}
