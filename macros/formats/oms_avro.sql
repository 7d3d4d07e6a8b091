{#- OceanBase OMS to Kafka in the format Avro: the record of Aliyun DTS, binary or as a JSON that leaves out the names of
    union branches. Surprise: a key is a Decimal in the full load and an Integer afterwards, and a name of three parts
    begins with the tenant. Rules: docs/formats/oms_avro.md -#}

{% macro parse_oms_avro(messages) -%}
    with {{ cdc._dts_messages(messages) }},

    named_tables as (

        select
            *,
            -- a name of one part is a table where the feed names its database
            size(object_parts) > 1
            or feed_settings['database'] is not null and not statement.is_of_database <=> true as is_table
        from read_statements

    ),

    placed as (

        select
            *,
            named_struct(
                'catalog_name', case when size(object_parts) = 3 then get(object_parts, 0) end,
                'database_name', case
                    when size(object_parts) <= 1 and is_table then feed_settings['database']
                    else get(object_parts, if(size(object_parts) = 3, 1, 0))
                end,
                'schema_name', cast(null as string),
                'table_name', case when is_table then get(object_parts, size(object_parts) - 1) end
            ) as place,
            'objectName names no database or no table: where it is a table, name its database in the setting database of the feed'
                as no_table_error
        from named_tables

    ),

    {{ cdc._dts_parsed_rows('placed') }}

    {{ cdc.to_change_contract('parsed_rows') }}
{%- endmacro %}
