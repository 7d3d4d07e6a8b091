{#- TiCDC's Debezium output, from TiDB: Debezium's envelope. One record carries one row, a DDL text, or a watermark.
    Surprise: file and pos are empty in every message; the number of the commit is the position. A TRUNCATE is
    labelled DROP: its text decides. Rules: docs/formats/ticdc_debezium.md -#}

{% macro parse_ticdc_debezium(messages) -%}
    with {{ cdc._keyed_messages(messages, {
        'op': 'string',
        'before': 'map<string, string>',
        'after': 'map<string, string>',
        'source': 'struct<connector string, db string, `table` string, ts_ms string, commit_ts string>',
        'ts_ms': 'string',
        'ddl': 'string',
        'databaseName': 'string',
        'tableChanges': 'array<struct<type string, id string>>'
    }) }},

    {{ cdc.read_statements('imaged', 'message.ddl') }},

    worded as (

        select
            *,
            case
                when op = 'c' then 'insert'
                when op = 'u' then 'update'
                when op = 'd' then 'delete'
                when op = 'm' and coalesce(message.source.db, '') = '' and coalesce(message.source.table, '') = ''
                    then 'heartbeat'
                when op is null and (message.ddl is not null or message.tableChanges is not null)
                    then if(statement.kind = 'truncate', 'truncate', 'schema_change')
            end as message_operation,
            coalesce(nullif(message.source.db, ''), nullif(message.databaseName, '')) as changed_database,
            nullif(message.source.table, '') as changed_table,
            {{ cdc.schema_change_kind('statement', cdc.type_of_changes('message.tableChanges')) }} as kind_of_ddl
        from read_statements

    ),

    named as (

        select
            *,
            case
                when message.source is null then 'source is missing or not an object'
                when not message.source.connector <=> 'TiCDC'
                    then concat('source.connector is not TiCDC: ', coalesce(message.source.connector, 'it is missing'))
                when message.ts_ms is not null and try_cast(message.ts_ms as bigint) is null
                    then concat('ts_ms is not a whole number: ', {{ cdc.unmarked('message.ts_ms') }})
                when message.source.ts_ms is not null and try_cast(message.source.ts_ms as bigint) is null
                    then concat('source.ts_ms is not a whole number: ', {{ cdc.unmarked('message.source.ts_ms') }})
                when message.source.commit_ts not rlike '^[0-9]{1,20}$'
                    then concat(
                        'source.commit_ts is not a whole number: ', {{ cdc.unmarked('message.source.commit_ts') }}
                    )
                when changed_table is null and message_operation in ('insert', 'update', 'delete', 'truncate')
                    then 'source.table is missing'
                when message_operation = 'schema_change'
                    then {{ cdc.table_changes_error(
                        'kind_of_ddl', 'statement', 'message.tableChanges', 'changed_database, changed_table'
                    ) }}
            end as own_error,
            coalesce(op, get(message.tableChanges, 0).type) as source_operation,
            case when message is not null then 'tidb' end as source_type,
            message.ddl,
            {{ cdc.block_with_bare_numbers('block_text', 'row_before', 'row_after', cdc.row_tokens('text')) }} as schema_block,
            transform_values(
                key_message.wrapped.payload, (column_name, wire_text) -> {{ cdc.unmarked('wire_text') }}
            ) as key_image,
            cast(array() as array<string>) as missing_before,
            cast(array() as array<string>) as missing_after,
            {{ cdc.epoch_millis('message.source.ts_ms') }} as changed_at,
            {{ cdc.epoch_millis('message.ts_ms') }} as captured_at,
            {{ cdc._ticdc_position('message.source.commit_ts') }} as position,
            'position' as order_scope
        from worded

    ),

    {{ cdc._keyed_parsed_rows('named', 'ticdc_debezium') }}

    {{ cdc.to_change_contract('parsed_rows', deletes_first=true) }}
{%- endmacro %}
