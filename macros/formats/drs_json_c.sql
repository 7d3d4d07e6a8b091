{#- Huawei DRS to Kafka, JSON-C: as drs_json, but a deleted row is in `data` and a TIMESTAMP is a wall clock.
    Surprise: the source may be Oracle, and no message shows it. Rules: docs/formats/drs_json_c.md -#}

{% macro parse_drs_json_c(messages) -%}
    with texts as (

        select
            *,
            {{ cdc.json_text('value') }} as text
        from {{ messages }}

    ),

    {{ cdc._drs_messages('texts') }},

    described as (

        select
            *,
            cast(null as string) as source_type,
            message.mysqlType as type_text,
            cast(null as string) as undecodable_error,
            text as foreign_text
        from decoded

    ),

    {{ cdc._drs_parsed_rows('described', 'drs_json_c') }}

    {{ cdc.to_change_contract('parsed_rows') }}
{%- endmacro %}
