{#- OMS to Kafka, format DebeziumSmt: one record is one row, its columns at the root, with `__deleted` as the only
    other field. Surprise: nothing tells table, time or insert from update. Rules: docs/formats/oms_debezium_smt.md -#}

{% macro parse_oms_debezium_smt(messages) -%}
    {{ cdc._flattened_changes(messages, "column_name = '__deleted'", "'__'") }}
{%- endmacro %}
