{#- Huawei DRS to Kafka in Avro: decoded to JSON with the schema that the feed declares, and read as drs_json.
    Surprise: no document prints the schema, and no bytes name it. Rules: docs/formats/drs_avro.md -#}

{% macro parse_drs_avro(messages) -%}
    {%- set schemas = cdc.avro_schemas('drs_avro', files='') -%}
    with decoded_records as (

        select
            *,
            case feed_settings['avro_schemas']
                {%- for schema in schemas %}
                when {{ cdc.quoted(schema.file) }} then {{ cdc.avro_as_json('value', schema.text) }}
                {%- endfor %}
            end as bare_json,
            case when {{ cdc.has_registry_header('value') }} then
                case feed_settings['avro_schemas']
                    {%- for schema in schemas %}
                    when {{ cdc.quoted(schema.file) }} then {{ cdc.avro_as_json('substring(value, 6)', schema.text) }}
                    {%- endfor %}
                end
            end as framed_json
        from {{ messages }}

    ),

    texts as (

        select
            *,
            coalesce({{ cdc.whole_avro_json('bare_json') }}, {{ cdc.whole_avro_json('framed_json') }}) as text
        from decoded_records

    ),

    {{ cdc._drs_messages('texts') }},

    described as (

        select
            *,
            cast(null as string) as source_type,
            {{ cdc._sorted_types() }} as type_text,
            if(
                length(value) = 0,
                'the value is empty',
                'the value is not one whole record of the Avro schema that the feed names'
            ) as undecodable_error,
            case when text is null then cast(value as string) end as foreign_text
        from decoded

    ),

    {{ cdc._drs_parsed_rows('described', 'drs_avro') }}

    {{ cdc.to_change_contract('parsed_rows') }}
{%- endmacro %}


{#- Spark reads a map of Avro in the order of its hash table: sorted, the same types always give the same text. -#}
{% macro _sorted_types() -%}
    concat(
        '{',
        array_join(
            array_sort(split(substring(message.mysqlType, 2, length(message.mysqlType) - 2), r'(?<="),(?=")')),
            ','
        ),
        '}'
    )
{%- endmacro %}
