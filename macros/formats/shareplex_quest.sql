{#- Quest SharePlex to Kafka as JSON, and what Aliyun DTS writes as SharePlex JSON: one record is one row.
    Surprise: `meta` may hold nothing but op and table, and `key` only the key columns, so that an update is a partial
    image and only the offset orders. Rules: docs/formats/shareplex_quest.md -#}

{% macro parse_shareplex_quest(messages) -%}
    with {{ cdc._shareplex_messages(messages) }},

    named as (

        select
            *,
            cast(null as string) as changed_catalog,
            cast(null as string) as changed_database,
            case
                when contains(message.meta.table, '.') then nullif(substring_index(message.meta.table, '.', 1), '')
            end as changed_schema,
            nullif(substring(message.meta.table, locate('.', message.meta.table) + 1), '') as changed_table,
            'insert' as operation_of_ins,
            true as may_rows_lack_table,
            false as is_key_whole,
            {{ cdc._shareplex_numbers('array(message.meta.scn, message.meta.seq)') }} as numbers
        from read_statements

    ),

    {{ cdc._shareplex_parsed_rows('named', 'shareplex_quest') }}

    {{ cdc.to_change_contract('parsed_rows') }}
{%- endmacro %}
