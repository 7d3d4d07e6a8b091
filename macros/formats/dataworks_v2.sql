{#- OceanBase Migration Service (OMS) to Kafka, message format DataWorks V2.0: StreamX with other names. One record
    carries one row with its full images and its types, a statement, or a mark.
    Surprise: `scn` is the text "null", so that only the offset orders, and a full load is not marked.
    Rules: docs/formats/dataworks_v2.md -#}

{% macro parse_dataworks_v2(messages) -%}
    with {{ cdc.exact_messages(messages, '''
                `schema` struct<
                    `column` array<map<string, string>>, pk array<string>,
                    source struct<dbType string, dbName string, `schema` string, `table` string>
                >,
                payload struct<
                    before struct<data map<string, string>>, after struct<data map<string, string>>,
                    op string, ddl struct<text string>, `timestamp` struct<eventTime string, systemTime string>
                >''') }},

    named as (

        select
            *,
            {{ cdc.unmarked('message.payload.op') }} as op,
            message.payload.ddl.text as ddl_text,
            {{ cdc._oms_tenant('message.schema.source.dbName', 'message.schema.source.dbType') }} as changed_tenant,
            {{ cdc._oms_database('message.schema.source.dbName', 'message.schema.source.dbType') }} as changed_database,
            nullif(message.schema.source.schema, '') as changed_schema,
            nullif(message.schema.source.table, '') as changed_table,
            message.payload.timestamp.eventTime as event_millis,
            message.payload.timestamp.systemTime as system_millis,
            {{ cdc.exact_numbers('message.payload.before.data', 'exact_text') }} as sent_before,
            {{ cdc.exact_numbers('message.payload.after.data', 'exact_text') }} as sent_after
        from decoded

    ),

    {{ cdc.read_statements('named', 'ddl_text') }},

    imaged as (

        select
            *,
            op in ('INSERT', 'UPDATE', 'DELETE') as is_row_change,
            -- an image without any column is none
            case when op in ('UPDATE', 'DELETE') and cardinality(sent_before) > 0 then sent_before end as old_image,
            case when op in ('INSERT', 'UPDATE') and cardinality(sent_after) > 0 then sent_after end as new_image,
            {{ cdc._streamx_ddl_kind('op', 'statement') }} as kind_of_ddl
        from read_statements

    ),

    judged as (

        select
            *,
            case
                when load_error is not null then load_error
                when value is null then {{ cdc.lost_delete_reason() }}
                when message is null then {{ cdc.undecodable_reason('value', 'text') }}
                when op is null then 'payload.op is missing'
                when event_millis is not null and try_cast(event_millis as bigint) is null
                    then concat('eventTime is not a whole number: ', {{ cdc.unmarked('event_millis') }})
                when system_millis is not null and try_cast(system_millis as bigint) is null
                    then concat('systemTime is not a whole number: ', {{ cdc.unmarked('system_millis') }})
                when op in ('TRANSACTION_BEGIN', 'GTID', 'TRANSACTION_END', 'XACOMMIT', 'XAROLLBACK', 'HEARTBEAT')
                    then null
                when op = 'QUERY' and kind_of_ddl is null then null
                when (is_row_change or kind_of_ddl = 'truncate') and changed_table is null
                    then 'schema.source.table is missing'
                when kind_of_ddl = 'rename'
                    and (
                        cardinality(statement.tables) > 2
                        or statement is not null
                        and not {{ cdc.is_name_of_place('get(statement.tables, 0)', 'changed_tenant, changed_database, changed_schema, changed_table') }}
                    )
                    then concat('the statement names another table than its message: ', ddl_text)
                when kind_of_ddl is not null
                    then {{ cdc.statement_error(
                        'kind_of_ddl', 'statement', 'ddl_text', 'changed_tenant, changed_database, changed_schema, changed_table'
                    ) }}
                when not is_row_change then concat('op is not known: ', op)
                when {{ cdc.has_repeated_column('old_image') }} or {{ cdc.has_repeated_column('new_image') }}
                    then 'a column name occurs twice in a row image'
                when op = 'DELETE' and old_image is null then 'op DELETE without a before image'
                when op <> 'DELETE' and new_image is null then concat('op ', op, ' without an after image')
                else {{ cdc.bare_number_reason(['changed_database', 'changed_schema', 'changed_table'], ['old_image', 'new_image']) }}
            end as row_error
        from imaged

    ),

    operations as (

        select
            *,
            case
                when row_error is not null then 'unknown'
                when value is null then 'tombstone'
                when is_row_change then lower(op)
                when kind_of_ddl = 'truncate' then 'truncate'
                when kind_of_ddl is not null then 'schema_change'
                when op = 'QUERY' then 'ignored'
                when op in ('TRANSACTION_BEGIN', 'GTID') then 'transaction_begin'
                when op = 'HEARTBEAT' then 'heartbeat'
                else 'transaction_end'
            end as whole_operation,
            -- nothing but a change of a row has a key
            case
                when row_error is null and is_row_change
                    then coalesce(
                        feed_key_columns[concat_ws('.', changed_database, changed_schema, changed_table)],
                        case when size(message.schema.pk) > 0 then message.schema.pk end
                    )
            end as key_names
        from judged

    ),

    keyed as (

        select
            *,
            {{ cdc.key_values('key_names', 'coalesce(new_image, old_image)') }} as key_of_row,
            case when whole_operation = 'update' then {{ cdc.key_values('key_names', 'old_image') }} end as key_before,
            to_json(message.schema.column) as type_text,
            {{ cdc._oms_column_names(
                "array_compact(transform(message.schema.column, described -> described['name']))",
                'old_image',
                'new_image'
            ) }} as column_names
        from operations

    ),

    parsed_rows as (

        select
            {{ cdc.record_columns() }},
            0 as image_index,
            whole_operation as operation,
            op as source_operation,
            {{ cdc.unknown_error('row_error', 'text', 'dataworks_v2') }} as error,
            lower(nullif(message.schema.source.dbType, '')) as source_type,
            changed_tenant as catalog_name,
            changed_database as database_name,
            changed_schema as schema_name,
            changed_table as table_name,
            key_names as key_columns,
            key_of_row as row_key,
            key_before,
            old_image as before_image,
            new_image as after_image,
            cardinality(array_except(column_names, map_keys(old_image))) = 0 as is_before_complete,
            cardinality(array_except(column_names, map_keys(new_image))) = 0 as is_after_complete,
            array_except(column_names, map_keys(old_image)) as before_unavailable,
            array_except(column_names, map_keys(new_image)) as after_unavailable,
            type_text as schema_text,
            {{ cdc.epoch_millis('event_millis') }} as changed_at,
            {{ cdc.epoch_millis('system_millis') }} as captured_at,
            cast(null as string) as transaction_id,
            1 as phase,
            cast(array() as array<decimal(38, 0)>) as position,
            'offset' as order_scope,
            cast(null as string) as position_space,
            cast(null as string) as snapshot_mark,
            ddl_text as ddl,
            kind_of_ddl as ddl_kind
        from keyed

    )

    {{ cdc.to_change_contract('parsed_rows') }}
{%- endmacro %}
