{#- TiCDC's simple protocol, from TiDB. One message carries one row, all values as text; or a DDL text with the table's
    types, or a watermark. Types come now and then in a message of their own (BOOTSTRAP), not with the rows.
    Surprise: no message of a row names its key, and a row too large for Kafka comes as its key alone.
    Rules: docs/formats/ticdc_simple.md -#}

{% macro parse_ticdc_simple(messages) -%}
    with texts as (

        select
            *,
            {{ cdc.json_text('value') }} as text
        from {{ messages }}

    ),

    parsed as (

        select
            *,
            {{ cdc.decode_object('text', '''
                type string, `database` string, `table` string, data map<string, string>, old map<string, string>,
                sql string, commitTs string, buildTs string, handleKeyOnly string, claimCheckLocation string,
                tableSchema struct<`schema` string, `table` string, columns string>,
                preTableSchema struct<`schema` string, `table` string>''') }} as marked_object
        from texts

    ),

    decoded as (

        select
            *,
            {{ cdc.decoded_object('marked_object') }} as message
        from parsed

    ),

    {{ cdc.read_statements('decoded', 'message.sql') }},

    named as (

        select
            *,
            message.type as word,
            -- a DDL message carries the table before and after it: it is done to the one before
            coalesce(
                nullif(message.database, ''),
                nullif(message.preTableSchema.schema, ''),
                nullif(message.tableSchema.schema, '')
            ) as changed_database,
            coalesce(
                nullif(message.table, ''),
                nullif(message.preTableSchema.table, ''),
                nullif(message.tableSchema.table, '')
            ) as changed_table,
            coalesce(message.type in ('INSERT', 'UPDATE', 'DELETE'), false) as is_row_change,
            case
                when message.type = 'TRUNCATE' then 'truncate'
                when message.type = 'QUERY' then coalesce(statement.kind, 'other')
                else {{ cdc.ddl_kind_of_word('message.type') }}
            end as kind_of_ddl,
            coalesce(lower(message.handleKeyOnly) = 'true' or message.claimCheckLocation <> '', false) as is_key_alone,
            -- an image without any column is none
            case
                when message.type in ('UPDATE', 'DELETE') and cardinality(message.old) > 0 then message.old
            end as old_image,
            case
                when message.type in ('INSERT', 'UPDATE') and cardinality(message.data) > 0 then message.data
            end as new_image
        from read_statements

    ),

    judged as (

        select
            *,
            case
                when load_error is not null then load_error
                when value is null then {{ cdc.lost_delete_reason() }}
                when message is null then {{ cdc.undecodable_reason('value', 'text') }}
                when word is null then 'type is missing'
                when not is_row_change and kind_of_ddl is null and word not in ('BOOTSTRAP', 'WATERMARK')
                    then concat('type is not known: ', word)
                when message.commitTs is null then 'commitTs is missing'
                when message.commitTs not rlike '^[0-9]{1,20}$'
                    then concat('commitTs is not a whole number: ', message.commitTs)
                when message.buildTs is not null and try_cast(message.buildTs as bigint) is null
                    then concat('buildTs is not a whole number: ', message.buildTs)
                when lower(message.handleKeyOnly) not in ('true', 'false')
                    then concat('handleKeyOnly is neither true nor false: ', message.handleKeyOnly)
                when (is_row_change or kind_of_ddl = 'truncate') and changed_table is null then 'table is missing'
                when not is_row_change
                    then {{ cdc.statement_of_table_error(
                        'kind_of_ddl', 'statement', 'message.sql', 'changed_database, changed_table'
                    ) }}
                when word in ('INSERT', 'UPDATE') and message.claimCheckLocation <> ''
                    then concat('the row was too large for Kafka and lies at ', message.claimCheckLocation)
                when word in ('INSERT', 'UPDATE') and is_key_alone
                    then 'the row was too large for Kafka: the message has only its key (handleKeyOnly)'
                when word in ('INSERT', 'UPDATE') and new_image is null
                    then concat('type ', word, ' without columns in data')
                when word = 'DELETE' and old_image is null then 'type DELETE without columns in old'
                when {{ cdc.has_repeated_column('old_image') }} or {{ cdc.has_repeated_column('new_image') }}
                    then 'a column name occurs twice in a row image'
                else {{ cdc.bare_number_reason(['changed_database', 'changed_table'], ['old_image', 'new_image']) }}
            end as row_error
        from named

    ),

    operations as (

        select
            *,
            case
                when row_error is not null then 'unknown'
                when value is null then 'tombstone'
                when word = 'INSERT' then 'insert'
                when word = 'UPDATE' then 'update'
                when word = 'DELETE' then 'delete'
                when word = 'WATERMARK' then 'heartbeat'
                when word = 'BOOTSTRAP' then 'ignored'
                when kind_of_ddl = 'truncate' then 'truncate'
                else 'schema_change'
            end as whole_operation,
            -- nothing but a change of a row has a key
            case
                when row_error is null and is_row_change
                    then feed_key_columns[concat_ws('.', changed_database, changed_table)]
            end as key_names
        from judged

    ),

    keyed as (

        select
            *,
            {{ cdc.key_values('key_names', 'coalesce(new_image, old_image)') }} as key_of_row,
            case when whole_operation = 'update' then {{ cdc.key_values('key_names', 'old_image') }} end as key_before
        from operations

    ),

    parsed_rows as (

        select
            {{ cdc.record_columns() }},
            0 as image_index,
            whole_operation as operation,
            word as source_operation,
            {{ cdc.unknown_error('row_error', 'text', 'ticdc_simple') }} as error,
            case when message is not null then 'tidb' end as source_type,
            cast(null as string) as catalog_name,
            changed_database as database_name,
            cast(null as string) as schema_name,
            changed_table as table_name,
            key_names as key_columns,
            key_of_row as row_key,
            key_before,
            old_image as before_image,
            new_image as after_image,
            old_image is not null and not is_key_alone as is_before_complete,
            new_image is not null as is_after_complete,
            cast(null as array<string>) as before_unavailable,
            cast(null as array<string>) as after_unavailable,
            message.tableSchema.columns as schema_text,
            {{ cdc._ticdc_commit_time('message.commitTs') }} as changed_at,
            {{ cdc.epoch_millis('message.buildTs') }} as captured_at,
            cast(null as string) as transaction_id,
            1 as phase,
            {{ cdc._ticdc_position('message.commitTs') }} as position,
            'position' as order_scope,
            cast(null as string) as position_space,
            cast(null as string) as snapshot_mark,
            message.sql as ddl,
            kind_of_ddl as ddl_kind
        from keyed

    )

    {{ cdc.to_change_contract('parsed_rows', deletes_first=true) }}
{%- endmacro %}
