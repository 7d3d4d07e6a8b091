{#- OMS to Kafka, format DebeziumSmt: one record is one row, its columns at the root, with `__deleted` as the only
    other field. Surprise: nothing shows table or time, nor whether it is an insert or an update.
    Rules: docs/formats/oms_debezium_smt.md -#}

{% macro parse_oms_debezium_smt(messages) -%}
    {{ cdc._flattened_changes(messages, "column_name = '__deleted'", "'__'") }}
{%- endmacro %}
