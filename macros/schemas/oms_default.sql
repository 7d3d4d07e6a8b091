{#- Default says nothing of types: there are columns only where a producer adds `__light_type` as
    DefaultExtendColumnType does. -#}

{% macro oms_default_columns(schemas) -%}
    {{ cdc.oms_default_ext_columns(schemas) }}
{%- endmacro %}
