{#- Aliyun DTS subscription: one Avro record per row, statement or mark, binary or as Avro's JSON. Images are lists beside
    `fields`, each value a branch of a union. Surprise: a value may be missing (NONE), and the member `millis` holds
    microseconds. Rules: docs/formats/dts_avro.md -#}

{% macro parse_dts_avro(messages) -%}
    with {{ cdc._dts_messages(messages) }},

    placed as (

        select
            *,
            named_struct(
                'catalog_name', cast(null as string),
                'database_name', get(object_parts, 0),
                'schema_name', case when size(object_parts) = 3 then get(object_parts, 1) end,
                'table_name', case when size(object_parts) > 1 then get(object_parts, size(object_parts) - 1) end
            ) as place,
            'objectName names no table' as no_table_error
        from read_statements

    ),

    {{ cdc._dts_parsed_rows('placed') }}

    {{ cdc.to_change_contract('parsed_rows') }}
{%- endmacro %}
