{#- TiCDC's Debezium output, from TiDB: Debezium's envelope. One record carries one row, a DDL text, or a watermark.
    Surprise: file and pos are empty in every message; the number of the commit is the position. A TRUNCATE is
    labelled DROP: its text decides. Rules: docs/formats/ticdc_debezium.md -#}

{% macro parse_ticdc_debezium(messages) -%}
    {{ cdc._keyed_envelope_changes(
        messages,
        'ticdc_debezium',
        {
            'op': 'string',
            'before': 'map<string, string>',
            'after': 'map<string, string>',
            'source': 'struct<connector string, db string, `table` string, ts_ms string, commit_ts string>',
            'ts_ms': 'string',
            'ddl': 'string',
            'databaseName': 'string',
            'tableChanges': 'array<struct<type string, id string>>'
        },
        {
            'key_image': 'key_message.wrapped.payload',
            'tokens': cdc.row_tokens('text'),
            'operation': "case
                when op = 'c' then 'insert'
                when op = 'u' then 'update'
                when op = 'd' then 'delete'
                when op = 'm' and coalesce(message.source.db, '') = '' and coalesce(message.source.table, '') = ''
                    then 'heartbeat'
                when op is null and (message.ddl is not null or message.tableChanges is not null)
                    then if(statement.kind = 'truncate', 'truncate', 'schema_change')
            end",
            'reason': cdc._ticdc_envelope_reason(),
            'source_operation': 'coalesce(op, get(message.tableChanges, 0).type)',
            'source_type': "case when message is not null then 'tidb' end",
            'database_name': "coalesce(nullif(message.source.db, ''), nullif(message.databaseName, ''))",
            'table_name': "nullif(message.source.table, '')",
            'missing_before': 'cast(array() as array<string>)',
            'missing_after': 'cast(array() as array<string>)',
            'changed_at': cdc.epoch_millis('message.source.ts_ms'),
            'captured_at': cdc.epoch_millis('message.ts_ms'),
            'position': cdc._ticdc_position('message.source.commit_ts'),
            'order_scope': 'position',
            'deletes_first': true,
            'ddl': 'message.ddl',
            'ddl_kind': cdc.schema_change_kind('statement', cdc.type_of_changes('message.tableChanges'))
        }
    ) }}
{%- endmacro %}


{#- What keeps a message of a known operation from being read. -#}
{% macro _ticdc_envelope_reason() -%}
    case
        when message.source is null then 'source is missing or not an object'
        when not message.source.connector <=> 'TiCDC'
            then concat(
                'source.connector is not TiCDC: ', coalesce(message.source.connector, 'it is missing')
            )
        when message.ts_ms is not null and try_cast(message.ts_ms as bigint) is null
            then concat('ts_ms is not a whole number: ', {{ cdc.unmarked('message.ts_ms') }})
        when message.source.ts_ms is not null and try_cast(message.source.ts_ms as bigint) is null
            then concat('source.ts_ms is not a whole number: ', {{ cdc.unmarked('message.source.ts_ms') }})
        when message.source.commit_ts not rlike '^[0-9]{1,20}$'
            then concat(
                'source.commit_ts is not a whole number: ', {{ cdc.unmarked('message.source.commit_ts') }}
            )
        when changed_table is null and (is_row_change or told_operation = 'truncate')
            then 'source.table is missing'
        when told_operation = 'schema_change'
            then {{ cdc.table_changes_error(
                'kind_of_ddl', 'statement', 'message.tableChanges', 'changed_database, changed_table'
            ) }}
    end
{%- endmacro %}
