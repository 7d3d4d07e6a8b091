{#- OceanBase Migration Service (OMS) to Kafka, message format Default: one record carries one row with its full images
    `prevStruct` and `postStruct`, a statement or a heartbeat; a full load comes as recordType ROW.
    Surprise: the sequence that orders changes may be missing, and a statement's database may lack its tenant.
    Rules: docs/formats/oms_default.md -#}

{% macro parse_oms_default(messages) -%}
    {{ cdc._oms_default_changes(messages, 'oms_default') }}
{%- endmacro %}
