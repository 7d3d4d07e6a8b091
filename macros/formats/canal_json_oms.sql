{#- OceanBase Migration Service (OMS) in Canal's envelope: no `id`, no `gtid`. One message carries one row; an update
    also carries `old`, the prior values of the changed columns.
    Surprise: numbers stand bare, with more digits than a double has. Rules: docs/formats/canal_json_oms.md -#}

{% macro parse_canal_json_oms(messages) -%}
    {{ _canal_changes(
        sent=_canal_exact_messages(messages, _canal_fields()),
        format='canal_json_oms',
        message_operation=_canal_operation(),
        reason=_canal_reason(),
        sent_rows=_canal_sent_rows(),
        foreign_text=_canal_foreign_text(),
        source_type='cast(null as string)'
    ) }}
{%- endmacro %}
