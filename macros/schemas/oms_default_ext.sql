{#- What OMS says of a table's columns in DefaultExtendColumnType: `__light_type`, column name to its type.
    Surprise: the type is named for the range of its values, so an unsigned TINYINT is a SMALLINT; it has neither
    length nor scale. -#}

{% macro oms_default_ext_columns(schemas) -%}
    with types as (

        {{ cdc._oms_light_types(schemas) }}

    )

    {{ cdc._oms_columns('types') }}
{%- endmacro %}
