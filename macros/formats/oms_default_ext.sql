{#- OceanBase Migration Service (OMS) to Kafka, message format DefaultExtendColumnType: as Default, with the types.
    Surprise: they are among the columns of each image, as `__light_type`. Rules: docs/formats/oms_default_ext.md -#}

{% macro parse_oms_default_ext(messages) -%}
    {{ cdc._oms_default_changes(messages, 'oms_default_ext') }}
{%- endmacro %}
