{#- CloudCanal's Debezium output: Debezium's envelope with words of its own. One record carries one row, or a DDL text
    under `ddl` and `tableChanges`, with op `a` or without any.
    Surprise: no message of a row names its key: the feed declares it. Rules: docs/formats/debezium_cloudcanal.md -#}

{% macro parse_debezium_cloudcanal(messages) -%}
    {{ cdc._enveloped_changes(
        messages,
        'debezium_cloudcanal',
        {
            'op': 'string',
            'before': 'map<string, string>',
            'after': 'map<string, string>',
            'source': 'struct<connector string, db string, `schema` string, `table` string, ts_ms string,'
                ~ ' gtid string, server_id string, file string, pos string, `row` string>',
            'ts_ms': 'string',
            'ddl': 'string',
            'databaseName': 'string',
            'tableChanges': 'struct<type string, `table` string>'
        },
        {
            'tokens': cdc.row_tokens('text'),
            'operation': "case
                when message.ddl is not null or message.tableChanges is not null or op = 'a'
                    then if(statement.kind = 'truncate', 'truncate', 'schema_change')
                when op in ('c', 'i') then 'insert'
                when op = 'u' then 'update'
                when op = 'd' then 'delete'
            end",
            'source_operation': 'coalesce(op, message.tableChanges.type)',
            'schema_text': 'coalesce(block_text, ' ~ cdc._cloudcanal_types({
                'tableChanges': "concat('{\"table\":', " ~ cdc.without_marks('message.tableChanges.table') ~ ", '}')"
            }) ~ ')',
            'catalog_name': 'cast(null as string)',
            'database_name': "coalesce(nullif(message.source.db, ''), nullif(message.databaseName, ''))",
            'schema_name': "nullif(nullif(message.source.schema, ''), message.source.db)",
            'changed_at': cdc.epoch_millis('message.source.ts_ms'),
            'captured_at': cdc.epoch_millis('message.ts_ms'),
            'transaction_id': "nullif(message.source.gtid, '')",
            'position': cdc.told_apart(cdc.log_position('message.source'), cdc.row_in_event('message.source')),
            'position_space': cdc.debezium_position_space('message.source'),
            'ddl': 'message.ddl',
            'ddl_kind': cdc.schema_change_kind('statement', 'message.tableChanges.type')
        }
    ) }}
{%- endmacro %}
