{#- Huawei DRS to Kafka, JSON: the names of Canal's flat JSON, full rows in `data` and `old`, full load as INIT.
    Surprise: a deleted row is in `old`, and a TIMESTAMP is text of seconds since 1970.
    Rules: docs/formats/drs_json.md -#}

{% macro parse_drs_json(messages) -%}
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
            case when message is not null then 'mysql' end as source_type,
            message.mysqlType as type_text,
            cast(null as string) as undecodable_error,
            text as foreign_text
        from decoded

    ),

    {{ cdc._drs_parsed_rows('described', 'drs_json') }}

    {{ cdc.to_change_contract('parsed_rows') }}
{%- endmacro %}
