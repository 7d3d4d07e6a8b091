{#- StreamX: what DataWorks writes to Kafka when it synchronises a whole database. One record carries one row; an
    update comes as one record, or as two halves that share a sequenceId. Every record has the types.
    Surprise: both halves have one sequenceId, so the before half is made older than the after half,
    at any offsets. Rules: docs/formats/streamx.md -#}

{% macro parse_streamx(messages) -%}
    with {{ cdc.exact_messages(messages, '''
                `schema` struct<
                    dataColumn array<map<string, string>>, primaryKey array<string>,
                    source struct<dbType string, dbName string, schemaName string, tableName string>
                >,
                payload struct<
                    before struct<dataColumn map<string, string>>, after struct<dataColumn map<string, string>>,
                    op string, sequenceId string, ddl struct<text string>,
                    `timestamp` struct<eventTime string, systemTime string>
                >''') }},

    named as (

        select
            *,
            {{ cdc.unmarked('message.payload.op') }} as op,
            message.payload.ddl.text as ddl_text,
            nullif(message.schema.source.dbName, '') as changed_database,
            nullif(message.schema.source.schemaName, '') as changed_schema,
            nullif(message.schema.source.tableName, '') as changed_table,
            -- -1 is an unknown time
            nullif(message.payload.timestamp.eventTime, '-1') as event_millis,
            nullif(message.payload.timestamp.systemTime, '-1') as system_millis,
            message.payload.sequenceId <=> '-1' as is_full_load,
            array_compact(transform(message.schema.dataColumn, described -> described['name'])) as column_names,
            {{ cdc.exact_numbers('message.payload.before.dataColumn', 'exact_text') }} as sent_before,
            {{ cdc.exact_numbers('message.payload.after.dataColumn', 'exact_text') }} as sent_after
        from decoded

    ),

    {{ cdc.read_statements('named', 'ddl_text') }},

    imaged as (

        select
            *,
            op in ('INSERT', 'UPDATE_BEFOR', 'UPDATE_BEFORE', 'UPDATE_AFTER', 'DELETE') as is_row_change,
            -- an image without any column is none
            case
                when op in ('UPDATE_BEFOR', 'UPDATE_BEFORE', 'UPDATE_AFTER', 'DELETE') and cardinality(sent_before) > 0
                    then sent_before
            end as old_image,
            case when op in ('INSERT', 'UPDATE_AFTER') and cardinality(sent_after) > 0 then sent_after end as new_image,
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
                when op in ('TRANSACTION_BEGIN', 'GTID', 'TRANSACTION_END', 'XACOMMIT', 'XAROLLBACK', 'MHEARTBEAT')
                    then null
                when op = 'QUERY' and kind_of_ddl is null then null
                when (is_row_change or kind_of_ddl = 'truncate') and changed_table is null
                    then 'schema.source.tableName is missing'
                when kind_of_ddl = 'rename'
                    and (
                        cardinality(statement.tables) > 2
                        or statement is not null
                        and not {{ cdc.is_name_of_place('get(statement.tables, 0)', 'changed_database, changed_schema, changed_table') }}
                    )
                    then concat('the statement names another table than its message: ', ddl_text)
                when kind_of_ddl is not null
                    then {{ cdc.statement_error(
                        'kind_of_ddl', 'statement', 'ddl_text', 'changed_database, changed_schema, changed_table'
                    ) }}
                when not is_row_change then concat('op is not known: ', op)
                when is_full_load and op <> 'INSERT'
                    then concat('op ', op, ' in a full load (sequenceId -1), which has only INSERT')
                when {{ cdc.has_repeated_column('old_image') }} or {{ cdc.has_repeated_column('new_image') }}
                    then 'a column name occurs twice in a row image'
                when op in ('INSERT', 'UPDATE_AFTER') and new_image is null
                    then concat('op ', op, ' without an after image')
                when op not in ('INSERT', 'UPDATE_AFTER') and old_image is null
                    then concat('op ', op, ' without a before image')
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
                when op = 'INSERT' then if(is_full_load, 'snapshot', 'insert')
                when op in ('UPDATE_BEFOR', 'UPDATE_BEFORE') then 'update_before'
                when op = 'UPDATE_AFTER' then if(old_image is null, 'upsert', 'update')
                when op = 'DELETE' then 'delete'
                when kind_of_ddl = 'truncate' then 'truncate'
                when kind_of_ddl is not null then 'schema_change'
                when op = 'QUERY' then 'ignored'
                when op in ('TRANSACTION_BEGIN', 'GTID') then 'transaction_begin'
                when op = 'MHEARTBEAT' then 'heartbeat'
                else 'transaction_end'
            end as whole_operation,
            -- nothing but a change of a row has a key
            case
                when row_error is null and is_row_change
                    then coalesce(
                        feed_key_columns[concat_ws('.', changed_database, changed_schema, changed_table)],
                        case when size(message.schema.primaryKey) > 0 then message.schema.primaryKey end,
                        -- ApsaraDB's hidden number of a row, in tables without a key
                        case
                            when map_contains_key(coalesce(new_image, old_image), '#alibaba_rds_row_id#')
                                then array('#alibaba_rds_row_id#')
                        end
                    )
            end as key_names
        from judged

    ),

    keyed as (

        select
            *,
            {{ cdc.key_values('key_names', 'coalesce(new_image, old_image)') }} as key_of_row,
            case when whole_operation = 'update' then {{ cdc.key_values('key_names', 'old_image') }} end as key_before,
            array_except(column_names, map_keys(old_image)) as missing_before,
            array_except(column_names, map_keys(new_image)) as missing_after,
            to_json(message.schema.dataColumn) as type_text
        from operations

    ),

    placed as (

        select
            *,
            -- text such as 1.5 would be rounded
            case
                when message.payload.sequenceId rlike '^[0-9]+$'
                    then try_cast(message.payload.sequenceId as decimal(38, 0))
            end as sequence_number,
            if(op in ('UPDATE_BEFOR', 'UPDATE_BEFORE'), 0, 1) as place_in_update
        from keyed

    ),

    parsed_rows as (

        select
            {{ cdc.record_columns() }},
            0 as image_index,
            whole_operation as operation,
            op as source_operation,
            {{ cdc.unknown_error('row_error', 'text', 'streamx') }} as error,
            lower(nullif(message.schema.source.dbType, '')) as source_type,
            cast(null as string) as catalog_name,
            changed_database as database_name,
            changed_schema as schema_name,
            changed_table as table_name,
            key_names as key_columns,
            key_of_row as row_key,
            key_before,
            old_image as before_image,
            new_image as after_image,
            cardinality(missing_before) = 0 as is_before_complete,
            cardinality(missing_after) = 0 as is_after_complete,
            missing_before as before_unavailable,
            missing_after as after_unavailable,
            type_text as schema_text,
            {{ cdc.epoch_millis('event_millis') }} as changed_at,
            {{ cdc.epoch_millis('system_millis') }} as captured_at,
            cast(null as string) as transaction_id,
            if(is_full_load, 0, 1) as phase,
            case
                when sequence_number is not null
                    then array(sequence_number, cast(place_in_update as decimal(38, 0)))
                else cast(array() as array<decimal(38, 0)>)
            end as position,
            'position' as order_scope,
            cast(null as string) as position_space,
            case when whole_operation = 'snapshot' then message.payload.sequenceId end as snapshot_mark,
            ddl_text as ddl,
            kind_of_ddl as ddl_kind
        from placed

    )

    {{ cdc.to_change_contract('parsed_rows') }}
{%- endmacro %}
