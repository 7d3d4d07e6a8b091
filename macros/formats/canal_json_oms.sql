{#- OceanBase Migration Service (OMS) in Canal's envelope: no `id`, no `gtid`. One message carries one row; an update
    also carries `old`, the prior values of the changed columns.
    Surprise: numbers are bare, with more digits than a double has. Rules: docs/formats/canal_json_oms.md -#}

{% macro parse_canal_json_oms(messages) -%}
    {{ cdc._canal_changes(
        sent=cdc._canal_exact_messages(messages, cdc._canal_fields()),
        format='canal_json_oms',
        message_operation=cdc._canal_operation(),
        reason=cdc._canal_reason(),
        sent_rows=cdc._canal_sent_rows(),
        foreign_text=cdc._canal_foreign_text(),
        source_type='cast(null as string)'
    ) }}
{%- endmacro %}
