{#- Huawei DRS to Kafka, JSON: the names of Canal's flat JSON, full rows in `data` and `old`, full load as INIT.
    Surprise: a deleted row is in `old`, and a TIMESTAMP is text of seconds since 1970.
    Rules: docs/formats/drs_json.md -#}

{% macro parse_drs_json(messages) -%}
    {{ cdc._drs_changes(messages, 'drs_json', "'mysql'") }}
{%- endmacro %}
