{#- Flink CDC's Kafka sink and Flink SQL's format debezium-json. One record carries one row. Flink CDC names the table
    and writes an update as one record; Flink SQL names none and writes it as a d and a c.
    Surprise: no time and no position; a schema block has types that the values are not written in. Its sources pass on
    Debezium's placeholders.
    Rules: docs/formats/flink_cdc_debezium.md -#}

{% macro parse_flink_cdc_debezium(messages) -%}
    with {{ cdc._keyed_messages(messages, {
        'op': 'string',
        'before': 'map<string, string>',
        'after': 'map<string, string>',
        'source': 'struct<connector string, db string, `table` string>'
    }) }},

    {{ cdc.read_statements('imaged', 'null') }},

    located as (

        select
            *,
            nullif(message.source.table, '') is null as is_unnamed
        from read_statements

    ),

    worded as (

        select
            *,
            case op
                when 'c' then 'insert'
                when 'u' then 'update'
                when 'd' then 'delete'
            end as message_operation,
            nullif(
                if(is_unnamed, regexp_extract(feed_settings['table_name'], '^(.*)[.]', 1), message.source.db), ''
            ) as changed_database,
            nullif(
                if(is_unnamed, regexp_extract(feed_settings['table_name'], '[^.]*$', 0), message.source.table), ''
            ) as changed_table
        from located

    ),

    named as (

        select
            *,
            case
                when message.source.connector is not null
                    then concat('source.connector is ', message.source.connector, ', and Flink writes none')
                when changed_table is null
                    then 'the message names no table: name it in the setting table_name of the feed'
            end as own_error,
            op as source_operation,
            cast(null as string) as source_type,
            block_text as schema_block,
            cast(null as string) as ddl,
            cast(null as string) as kind_of_ddl,
            transform_values(
                map_filter(key_message.flat, (column_name, wire_text) -> column_name <> 'TableId'),
                (column_name, wire_text) -> {{ cdc.unmarked('wire_text') }}
            ) as key_image,
            {{ cdc.unavailable_columns('row_before') }} as missing_before,
            {{ cdc.unavailable_columns('row_after') }} as missing_after,
            cast(null as timestamp) as changed_at,
            cast(null as timestamp) as captured_at,
            cast(array() as array<decimal(38, 0)>) as position,
            'offset' as order_scope
        from worded

    ),

    {{ cdc._keyed_parsed_rows('named', 'flink_cdc_debezium') }}

    {{ cdc.to_change_contract('parsed_rows') }}
{%- endmacro %}
