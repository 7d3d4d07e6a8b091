{#- CloudCanal's own JSON. One message carries N row images in `data`; an update also carries `before`, the
    rows as they were, paired with `data` by index.
    Surprise: nothing in a message orders it, and `pks` may be empty for a table that has a key.
    Rules: docs/formats/cloudcanal_json.md -#}

{% macro parse_cloudcanal_json(messages) -%}
    with {{ cdc.exact_messages(messages, '''
                data array<map<string, string>>, before array<map<string, string>>,
                db string, `schema` string, `table` string, action string, entryType string,
                isDdl string, ddl string, execTs string, sendTs string, sql string,
                pks array<string>, dbValType string, jdbcType string, tableChanges string''') }},

    named as (

        select
            *,
            upper(nullif(message.action, '')) as word,
            upper(nullif(message.entryType, '')) as entry_word,
            -- older editions call the flag `ddl`
            lower(coalesce(message.isDdl, message.ddl)) as ddl_flag,
            nullif(message.db, '') as changed_database,
            -- MySQL has no schemas: its database is in both fields
            nullif(nullif(message.schema, ''), message.db) as changed_schema,
            nullif(message.table, '') as changed_table,
            case
                when upper(message.action) = 'DELETE'
                    and not coalesce(exists(message.data, sent_row -> size(sent_row) > 0), false)
                    then message.before
                else message.data
            end as sent_rows,
            {{ cdc._cloudcanal_types(['dbValType', 'jdbcType', 'tableChanges']) }} as type_text
        from decoded

    ),

    {{ cdc.read_statements('named', 'message.sql') }},

    classified as (

        select
            *,
            case
                when entry_word = 'TRANSACTIONBEGIN' then 'transaction_begin'
                when entry_word = 'TRANSACTIONEND' then 'transaction_end'
                when word in ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE') then lower(word)
                when word in ('CREATE', 'ALTER', 'ERASE', 'DROP', 'RENAME', 'CINDEX', 'DINDEX')
                    then 'schema_change'
                when ddl_flag = 'true' or word = 'QUERY'
                    then if(statement.kind = 'truncate', 'truncate', 'schema_change')
            end as message_operation,
            if(
                word = 'TRUNCATE', 'truncate', {{ cdc.ddl_kind_of_word_or_text("if(word = 'DROP', 'ERASE', word)", 'statement') }}
            ) as kind_of_ddl
        from read_statements

    ),

    judged as (

        select
            *,
            case
                when load_error is not null then load_error
                when value is null then {{ cdc.lost_delete_reason() }}
                when message is null then {{ cdc.undecodable_reason('value', 'text') }}
                when message.execTs is not null and try_cast(message.execTs as bigint) is null
                    then concat('execTs is not a whole number: ', {{ cdc.unmarked('message.execTs') }})
                when message.sendTs is not null and try_cast(message.sendTs as bigint) is null
                    then concat('sendTs is not a whole number: ', {{ cdc.unmarked('message.sendTs') }})
                when ddl_flag not in ('true', 'false')
                    then concat(
                        'isDdl is neither true nor false: ', {{ cdc.unmarked('coalesce(message.isDdl, message.ddl)') }}
                    )
                when entry_word not in ('ROWDATA', 'TRANSACTIONBEGIN', 'TRANSACTIONEND')
                    then concat('entryType is not known: ', {{ cdc.unmarked('message.entryType') }})
                when message_operation is null and word is null then 'action is missing'
                when message_operation is null
                    then concat('action is not known: ', {{ cdc.unmarked('message.action') }})
                when message_operation in ('transaction_begin', 'transaction_end') then null
                when message_operation = 'schema_change' then {{ cdc._cloudcanal_statement_error() }}
                when ddl_flag = 'true' and message_operation <> 'truncate'
                    then concat('isDdl is true, but action is ', message.action)
                when changed_table is null then 'table is missing'
                when message_operation = 'truncate' then {{ cdc._cloudcanal_statement_error() }}
                when coalesce(size(sent_rows), 0) < 1 then 'data is missing, empty, or not a list of rows'
            end as message_error,
            message_operation in ('insert', 'update', 'delete') as is_row_change,
            coalesce(
                feed_key_columns[concat_ws('.', changed_database, changed_schema, changed_table)],
                case when size(message.pks) > 0 then message.pks end
            ) as key_names
        from classified

    ),

    row_images as (

        select
            judged.*,
            coalesce(image_index, 0) as image_index,
            {{ cdc.exact_numbers('row_image', 'exact_text') }} as row_image,
            case
                when message_operation = 'update' and size(message.before) = size(message.data)
                    then {{ cdc.exact_numbers('message.before[image_index]', 'exact_text') }}
            end as row_before
        from judged
            lateral view outer posexplode(
                case when message_error is null and is_row_change then sent_rows end
            ) as image_index, row_image

    ),

    checked as (

        select
            *,
            case
                when message_error is not null then message_error
                when is_row_change and coalesce(size(row_image), 0) < 1
                    then concat('element ', image_index, ' of data is not a row')
                when {{ cdc.has_repeated_column('row_image') }} or {{ cdc.has_repeated_column('row_before') }}
                    then concat('a column name occurs twice in row ', image_index)
                else {{ cdc.bare_number_reason(['changed_database', 'changed_schema', 'changed_table'], ['row_image', 'row_before']) }}
            end as row_error
        from row_images

    ),

    completed as (

        select
            *,
            case
                when message_operation = 'delete' then row_image
                when size(row_before) > 0 then row_before
            end as old_image,
            case when message_operation <> 'delete' then row_image end as new_image,
            -- two whole rows of one table have the same columns
            message_operation <> 'update'
            or array_sort(map_keys(row_before)) <=> array_sort(map_keys(row_image)) as is_whole_row
        from checked

    ),

    keyed as (

        select
            *,
            {{ cdc.key_values('key_names', 'row_image') }} as key_of_row,
            case
                when message_operation = 'update' and old_image is not null
                    then {{ cdc.key_values_of_either('key_names', 'old_image', 'row_image') }}
            end as key_before,
            -- nothing but a change of a row has a key
            case when row_error is null and is_row_change then key_names end as keys_of_row
        from completed

    ),

    operations as (

        select
            *,
            case
                when row_error is not null then 'unknown'
                when value is null then 'tombstone'
                else message_operation
            end as whole_operation
        from keyed

    ),

    placed as (

        select
            operations.*,
            {{ cdc.place_of_statement('name_in_text', 'changed_database', 'changed_schema', 'changed_table') }} as place,
            coalesce(table_index, image_index) as row_in_message
        from operations
            lateral view outer posexplode(
                {{ cdc.tables_of_statement('kind_of_ddl', 'statement', 'row_error') }}
            ) as table_index, name_in_text

    ),

    parsed_rows as (

        select
            {{ cdc.record_columns() }},
            row_in_message as image_index,
            whole_operation as operation,
            {{ cdc.unmarked('message.action') }} as source_operation,
            {{ cdc.unknown_error('row_error', 'text', 'cloudcanal_json') }} as error,
            cast(null as string) as source_type,
            cast(null as string) as catalog_name,
            place.database_name,
            place.schema_name,
            place.table_name,
            keys_of_row as key_columns,
            key_of_row as row_key,
            key_before,
            old_image as before_image,
            new_image as after_image,
            old_image is not null and is_whole_row as is_before_complete,
            new_image is not null and is_whole_row as is_after_complete,
            cast(null as array<string>) as before_unavailable,
            cast(null as array<string>) as after_unavailable,
            type_text as schema_text,
            {{ cdc.epoch_millis('message.execTs') }} as changed_at,
            {{ cdc.epoch_millis('message.sendTs') }} as captured_at,
            cast(null as string) as transaction_id,
            1 as phase,
            cast(array() as array<decimal(38, 0)>) as position,
            'offset' as order_scope,
            cast(null as string) as position_space,
            cast(null as string) as snapshot_mark,
            message.sql as ddl,
            kind_of_ddl as ddl_kind
        from placed

    )

    {{ cdc.to_change_contract('parsed_rows') }}
{%- endmacro %}


{% macro _cloudcanal_statement_error() -%}
    {{ cdc.statement_of_table_error(
        'kind_of_ddl', 'statement', 'message.sql', 'changed_database, changed_schema, changed_table'
    ) }}
{%- endmacro %}
