{#- OMS to Kafka, format DebeziumFlatten: oms_debezium without the envelope, the message at the root. Surprise: none
    beyond those of oms_debezium. Rules: docs/formats/oms_debezium_flatten.md -#}

{% macro parse_oms_debezium_flatten(messages) -%}
    {{ cdc.parse_oms_debezium(messages) }}
{%- endmacro %}
