{#- Huawei DRS to Kafka, JSON-C: as drs_json, but a deleted row is in `data` and a TIMESTAMP is a wall clock.
    Surprise: the source may be Oracle, and no message shows it. Rules: docs/formats/drs_json_c.md -#}

{% macro parse_drs_json_c(messages) -%}
    {{ cdc._drs_changes(messages, 'drs_json_c', 'cast(null as string)') }}
{%- endmacro %}
