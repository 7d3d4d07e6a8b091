{#- What a format's messages say of their types, by the macro that the format's file in this folder holds. -#}
{% macro schema_columns(format, schemas) -%}
    {{ cdc[format ~ '_columns'](schemas) }}
{%- endmacro %}
