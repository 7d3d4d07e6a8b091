{#- OMS (OceanBase Migration Service) to Kafka as SharePlex JSON: one record is one row. On `upd` `key` has
    the whole old row, `data` the changed columns.
    Surprise: only a missing `meta.scn` shows a row of the full load, and only where the task sends it at all.
    Rules: docs/formats/oms_shareplex.md -#}

{% macro parse_oms_shareplex(messages) -%}
    with {{ cdc._shareplex_messages(messages) }},

    timed as (

        select
            *,
            {{ cdc._oms_time_digits('message.meta.scn') }} as time_digits
        from read_statements

    ),

    split_up as (

        select
            *,
            -- scn is a time and a counter, without a mark between them
            array(
                left(message.meta.scn, 10),
                substring(message.meta.scn, 11, time_digits - 10),
                substring(message.meta.scn, time_digits + 1),
                message.meta.seq
            ) as parts_of_place
        from timed

    ),

    named as (

        select
            *,
            case
                when size(split(message.meta.table, r'\.')) = 3
                    then nullif(split_part(message.meta.table, '.', 1), '')
            end as changed_catalog,
            case
                when contains(message.meta.table, '.') then nullif(split_part(message.meta.table, '.', -2), '')
            end as changed_database,
            cast(null as string) as changed_schema,
            nullif(split_part(message.meta.table, '.', -1), '') as changed_table,
            if(feed_settings['sequence'] <=> 'enabled' and message.meta.scn is null, 'snapshot', 'insert')
                as operation_of_ins,
            false as may_rows_lack_table,
            true as is_key_whole,
            {{ cdc._shareplex_numbers('parts_of_place') }} as numbers
        from split_up

    ),

    {{ cdc._shareplex_parsed_rows('named', 'oms_shareplex') }}

    {{ cdc.to_change_contract('parsed_rows') }}
{%- endmacro %}
