{#- What OMS says of a table's columns: `mysqlType`, column name to the bare name of a type, the same names as in its
    other formats.
    Surprise: bytes and bits are base64, and a TIMESTAMP is text of seconds since 1970. -#}

{% macro canal_json_oms_columns(schemas) -%}
    with types as (

        {{ cdc.named_types(schemas) }}

    )

    {{ cdc._oms_columns('types') }}
{%- endmacro %}
