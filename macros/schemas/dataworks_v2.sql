{#- What DataWorks V2.0 says of a table's columns: the list `schema.column`, each with a name and a type, in any case,
    with or without a length. -#}

{% macro dataworks_v2_columns(schemas) -%}
    with types as (

        {{ cdc._dataworks_v2_types(schemas) }}

    )

    {{ cdc._oms_columns('types') }}
{%- endmacro %}


{% macro _dataworks_v2_types(schemas) -%}
    select
        schema_id,
        ordinal + 1 as ordinal,
        described.name as column_name,
        described.type as source_type,
        {{ cdc.type_word('described.type') }} as word,
        {{ cdc.type_length('described.type') }} as length,
        {{ cdc.type_digits('described.type') }} as digits
    from {{ schemas }}
        lateral view posexplode(from_json(schema_text, 'array<struct<name string, type string>>'))
            as ordinal, described
    where described.name is not null
{%- endmacro %}
