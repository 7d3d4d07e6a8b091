{#- CloudCanal's Debezium output: Debezium's envelope with words of its own. One record carries one row, or a DDL text
    under `ddl` and `tableChanges`, with op `a` or without any.
    Surprise: no message of a row names its key: the feed declares it. Rules: docs/formats/debezium_cloudcanal.md -#}

{% macro parse_debezium_cloudcanal(messages) -%}
    with {{ cdc._enveloped_messages(messages, {
        'op': 'string',
        'before': 'map<string, string>',
        'after': 'map<string, string>',
        'source': 'struct<connector string, db string, `schema` string, `table` string, ts_ms string,'
            ~ ' gtid string, server_id string, file string, pos string, `row` string>',
        'ts_ms': 'string',
        'ddl': 'string',
        'databaseName': 'string',
        'tableChanges': 'struct<type string, `table` string>'
    }) }},

    typed as (

        select
            *,
            coalesce(
                block_text,
                case
                    when message.tableChanges.table is not null
                        then concat(
                            '{"tableChanges":{"table":', {{ cdc.without_marks('message.tableChanges.table') }}, '}}'
                        )
                end
            ) as type_text
        from imaged

    ),

    {{ cdc.read_statements('typed', 'message.ddl') }},

    named as (

        select
            *,
            case
                when message.ddl is not null or message.tableChanges is not null or op = 'a'
                    then if(statement.kind = 'truncate', 'truncate', 'schema_change')
                when op in ('c', 'i') then 'insert'
                when op = 'u' then 'update'
                when op = 'd' then 'delete'
            end as message_operation,
            coalesce(op, message.tableChanges.type) as source_operation,
            {{ cdc.block_with_bare_numbers('type_text', 'row_before', 'row_after', cdc.row_tokens('text')) }} as schema_block,
            cast(null as string) as changed_catalog,
            coalesce(nullif(message.source.db, ''), nullif(message.databaseName, '')) as changed_database,
            nullif(nullif(message.source.schema, ''), message.source.db) as changed_schema,
            nullif(message.source.table, '') as changed_table,
            message.ddl,
            {{ cdc.schema_change_kind('statement', 'message.tableChanges.type') }} as kind_of_ddl,
            {{ cdc.epoch_millis('message.source.ts_ms') }} as changed_at,
            {{ cdc.epoch_millis('message.ts_ms') }} as captured_at,
            nullif(message.source.gtid, '') as transaction_id,
            {{ cdc.log_position('message.source') }} as position,
            {{ cdc.row_in_event('message.source') }} as numbers_apart,
            {{ cdc.debezium_position_space('message.source') }} as position_space
        from read_statements

    ),

    {{ cdc._enveloped_parsed_rows('named', 'debezium_cloudcanal') }}

    {{ cdc.to_change_contract('parsed_rows') }}
{%- endmacro %}
