{#- The chain that reads the messages of Debezium's own connectors. -#}

{#- From `texts` to `imaged`: what the message and its Kafka key say, and the images. `texts` is bronze with

    text, key_text      the message and its Kafka key as JSON text
    value_schema        the types of the message where its text has none
    is_key_encoded      is there a Kafka key that may not be text?
    odd_key_error       why the Kafka key is none, where no row is read from it
    undecodable_error   why there is no message, where it is not the text that says so
    foreign_text        a text that may be another format's -#}
{% macro _debezium_messages(texts) -%}
    {%- set fields = {
        'op': 'string',
        'before': 'map<string, string>',
        'after': 'map<string, string>',
        'before_text': 'string',
        'after_text': 'string',
        'updateDescription': 'struct<updatedFields string, removedFields array<string>, truncatedArrays array<string>>',
        'source': 'struct<connector string, version string, db string, `schema` string, `table` string, collection string,'
            ~ ' ts_ms string, ts_us string, snapshot string, sequence string, txId string,'
            ~ ' server_id string, gtid string, file string, pos string, `row` string,'
            ~ ' scn string, commit_scn string, txSeq string, ssn string,'
            ~ ' change_lsn string, commit_lsn string, event_serial_no string, ord string>',
        'transaction': 'struct<id string, total_order string>',
        'ts_ms': 'string',
        'ddl': 'string',
        'databaseName': 'string',
        'schemaName': 'string',
        'tableChanges': 'array<struct<type string, id string>>',
        'status': 'string',
        'id': 'string'
    } -%}
    marked as (

        select
            *,
            -- MongoDB's documents are JSON text inside the message: distinguished by name before the decode
            {{ cdc.mark_fractions(
                "if(contains(text, '\"mongodb\"') and text rlike r'\"connector\"\\s*:\\s*\"mongodb\"',"
                ~ " regexp_replace(text, r'\"(before|after)\"\\s*:\\s*\"(?=(?:\\s|\\\\[nrt])*[{])', '\"$1_text\":\"'), text)"
            ) }} as exact_text,
            {{ cdc.mark_fractions('key_text') }} as exact_key
        from {{ texts }}

    ),

    parsed as (

        select
            *,
            {{ cdc.decode_object('exact_text', cdc.envelope_fields(fields)) }} as marked_object,
            {{ cdc.decode_key('exact_key') }} as key_message
        from marked

    ),

    enveloped as (

        select
            *,
            {{ cdc.decoded_object('marked_object') }} as envelope,
            {{ cdc.key_image('key_message') }} as key_image
        from parsed

    ),

    decoded as (

        select
            *,
            coalesce(value_schema, {{ cdc.without_marks('envelope.schema') }}) as schema_block,
            {{ cdc.message_of_envelope('envelope', fields) }} as message,
            value is null or coalesce({{ cdc.is_null_text('text') }}, false) as is_tombstone
        from enveloped

    ),

    imaged as (

        select
            *,
            {{ cdc.unmarked('message.op') }} as op,
            lower(message.source.connector) as connector,
            nullif(coalesce(message.source.table, message.source.collection), '') as changed_table,
            nullif(message.source.schema, '') as changed_schema,
            nullif(coalesce(nullif(message.source.db, ''), message.databaseName), '') as changed_database,
            {{ cdc.exact_numbers('message.before', 'exact_text') }} as row_before,
            {{ cdc.exact_numbers('message.after', 'exact_text') }} as row_after,
            {{ cdc.document('message.before_text') }} as document_before,
            {{ cdc.document('coalesce(message.after_text, message.updateDescription.updatedFields)') }} as document_after,
            array_distinct(message.updateDescription.removedFields) as removed_fields,
            message.after is null and message.after_text is null
            and coalesce(message.updateDescription.updatedFields, get(message.updateDescription.removedFields, 0)) is not null
                as is_patch
        from decoded

    )
{%- endmacro %}


{#- From such a relation to `parsed_rows`, for to_change_contract. `format` is the declared one, for errors. -#}
{% macro _debezium_parsed_rows(imaged, format) -%}
    patched as (

        select
            *,
            {{ cdc.read_statement('message.ddl') }} as statement,
            -- an image without any column is none
            if(cardinality(row_before) > 0, row_before, document_before) as sent_before,
            case
                -- a field that the patch removes is null in the row
                when is_patch and not coalesce({{ cdc.has_repeated_column('document_after') }}, false)
                    then map_from_entries(
                        concat(
                            filter(
                                coalesce(map_entries(document_after), array()),
                                entry -> not coalesce(array_contains(removed_fields, entry.key), false)
                            ),
                            transform(
                                coalesce(array_compact(removed_fields), array()),
                                field -> named_struct('key', field, 'value', cast(null as string))
                            )
                        )
                    )
                else if(cardinality(row_after) > 0, row_after, document_after)
            end as sent_after
        from {{ imaged }}

    ),

    classified as (

        select
            *,
            {{ cdc.schema_change_kind('statement', cdc.type_of_changes('message.tableChanges')) }} as kind_of_ddl,
            {{ cdc.unavailable_columns('sent_before') }} as missing_before,
            {{ cdc.unavailable_columns('sent_after') }} as missing_after,
            case
                when is_tombstone then 'tombstone'
                -- ReadToInsertEvent writes the rows of a full load so
                when op = 'c' and {{ cdc.is_full_load_word('message.source.snapshot') }} then 'snapshot'
                when op = 'c' then 'insert'
                when op = 'u' then 'update'
                when op = 'd' then 'delete'
                when op = 'r' then 'snapshot'
                when op = 't' then 'truncate'
                when op = 'm' then 'ignored'
                when op is not null then null
                when message.tableChanges is not null or message.ddl is not null and message.databaseName is not null
                    then if(statement.kind = 'truncate', 'truncate', 'schema_change')
                when message.status in ('BEGIN', 'END') and message.id is not null and contains(text, '"event_count"')
                    then if(message.status = 'BEGIN', 'transaction_begin', 'transaction_end')
                -- a row without an envelope may have a column ts_ms: a heartbeat has nothing else
                when message.ts_ms is not null
                    and text rlike r'(^|"payload"\s*:)\s*[{]\s*"ts_ms"\s*:\s*[0-9]+\s*[}]'
                    then 'heartbeat'
            end as message_operation,
            feed_key_columns[concat_ws('.', message.source.db, changed_schema, changed_table)] as feed_keys
        from patched

    ),

    keyed as (

        select
            *,
            {{ cdc.bare_number_reason(
                ['changed_database', 'changed_schema', 'changed_table'],
                ['sent_before', 'sent_after', 'key_image'],
                "concat_ws(' ', text, key_text)"
            ) }} as bare_number_error,
            {{ cdc.without_columns('sent_before', 'missing_before') }} as old_image,
            {{ cdc.with_key_columns(cdc.without_columns('sent_after', 'missing_after'), 'sent_after') }} as new_image,
            message_operation in ('insert', 'update', 'delete', 'snapshot') as is_row_change,
            case
                when message_operation not in ('insert', 'update', 'delete', 'snapshot', 'tombstone') then null
                when feed_keys is not null then feed_keys
                when connector = 'mongodb' then array('_id')
                else map_keys(key_image)
            end as key_names,
            coalesce(cardinality(sent_before), 0) > 0 and cardinality(missing_before) = 0
            and coalesce(
                connector in ('mysql', 'mariadb', 'sqlserver', 'oracle', 'db2') or feed_settings['before_images'] = 'complete',
                false
            )
            and not ({{ cdc._lacks_large_values('connector', 'message_operation', 'sent_before', 'sent_after') }}) as is_old_complete
        from classified

    ),

    named as (

        select
            *,
            case
                when feed_keys is not null
                    then {{ cdc.key_values_of_either('key_names', 'key_image', 'coalesce(new_image, old_image)') }}
                when not connector <=> 'mongodb' or cardinality(key_image) = 1 then map_values(key_image)
                -- other fields than the document's id come from transforms of the connector
                when map_contains_key(key_image, 'id') then array(key_image['id'])
            end as key_of_row,
            case
                when message_operation = 'update' and not connector <=> 'mongodb'
                    then {{ cdc.key_values('key_names', 'old_image') }}
            end as key_in_old_image,
            case when message_operation = 'update' and old_image is not null then {{ cdc.key_values('key_names', 'new_image') }} end
                as key_in_new_image,
            case
                when message_operation = 'insert' and exists(headers, header -> header.key = '__debezium.oldkey')
                    then {{ cdc.decode_key(cdc.mark_fractions(
                        "cast(get(filter(headers, header -> header.key = '__debezium.oldkey'), 0).value as string)"
                    )) }}
            end as old_key_message,
            case
                when message_operation = 'delete' and connector = 'postgresql' and not is_old_complete
                    then {{ cdc.defaults_of_columns('schema_block') }}
            end as defaults
        from keyed

    ),

    judged as (

        select
            *,
            {{ cdc.key_image('old_key_message') }} as old_key_image,
            case
                when load_error is not null then load_error
                -- where the feed names keys, the rows before it may need none of Kafka's
                when is_tombstone
                    and cardinality(feed_key_columns) = 0
                    and key_image is null
                    and key_message.flat is null and (is_key_encoded or trim(key_text) not in ('', 'null'))
                    then odd_key_error
                when is_tombstone then null
                when envelope is null then coalesce(undecodable_error, {{ cdc.undecodable_reason('value', 'text') }})
                when op is null and message_operation is null then 'op is missing'
                when message_operation is null then concat('op is not known: ', op)
                when message.ts_ms is not null and try_cast(message.ts_ms as bigint) is null
                    then concat('ts_ms is not a whole number: ', {{ cdc.unmarked('message.ts_ms') }})
                when message.source.ts_ms is not null and try_cast(message.source.ts_ms as bigint) is null
                    then concat('source.ts_ms is not a whole number: ', {{ cdc.unmarked('message.source.ts_ms') }})
                when op is null and message_operation in ('schema_change', 'truncate')
                    then coalesce(
                        {{ cdc.table_changes_error(
                            'kind_of_ddl',
                            'statement',
                            'message.tableChanges',
                            'changed_database, changed_schema, changed_table'
                        ) }},
                        {{ cdc.statement_error(
                            'kind_of_ddl', 'statement', 'message.ddl', 'changed_database, changed_schema, changed_table'
                        ) }}
                    )
                when op = 'm' or op is null then null
                when message.source is null then 'source is missing or not an object'
                when connector not in ({{ cdc.known_connectors() }}) then {{ cdc.unknown_connector_reason('connector') }}
                when message.source.version rlike '^[^0-9]' then {{ cdc.fork_of_connector_reason('connector', 'message.source.version') }}
                when changed_table is null then 'source.table is missing'
                when op = 't' then null
                when {{ cdc.has_repeated_column('sent_before') }} or {{ cdc.has_repeated_column('sent_after') }}
                    then 'a column name occurs twice in a row image'
                when op <> 'd' and sent_after is null then concat('op ', op, ' without an after image')
                when bare_number_error is not null then bare_number_error
                when op = 'd' and sent_before is null and key_image is null
                    then 'op d without a before image and without a key'
                when op in ('u', 'd') and sent_before is null and {{ cdc.has_wrong_before('text') }}
                    then 'before is not an object'
                when is_patch
                    and (
                        cardinality(message.updateDescription.truncatedArrays) > 0
                        or exists(map_keys(sent_after), field -> contains(field, '.'))
                    )
                    then 'a patch inside a field cannot be applied: let the connector send whole documents'
                when exists(removed_fields, field -> field is null)
                    then 'updateDescription.removedFields names a field null'
                when feed_keys is null and key_image is null
                    and key_message.flat is null and (is_key_encoded or trim(key_text) not in ('', 'null'))
                    then odd_key_error
                when feed_keys is not null
                    and (key_of_row is null or not is_old_complete and op = 'd' and exists(key_of_row, part -> part is null))
                    then 'the message does not hold the key columns that the feed names'
                -- PostgreSQL sends the primary key alone: of other columns, which message.key.columns may name, it sends NULL
                when op = 'd' and not is_old_complete and exists(key_of_row, part -> part is null)
                    then concat(
                        'the Kafka key of this delete lacks the value of ',
                        concat_ws(', ', map_keys(map_filter(key_image, (column_name, wire_text) -> wire_text is null))),
                        ': give the table REPLICA IDENTITY FULL, or let the connector take the primary key as its key'
                    )
                -- of an index that is not the primary key it sends the index's columns, and the connector makes up the key
                when op = 'd'
                    and connector = 'postgresql'
                    and not is_old_complete
                    and {{ cdc.may_be_made_up('old_image', 'defaults') }}
                    then {{ cdc.made_up_key_reason('old_image', 'defaults') }}
            end as row_error
        from named

    ),

    operations as (

        select
            *,
            if(row_error is null, message_operation, 'unknown') as whole_operation,
            -- a null in an incomplete image means a value that was not sent
            case
                when
                    key_in_old_image <> key_in_new_image
                    and (is_old_complete or not exists(key_in_old_image, part -> part is null))
                    then key_in_old_image
            end as key_before,
            -- the header is written by another converter: {"id":20} for a key {"id":"FA=="} only says that there was one
            case
                when old_key_image is null then null
                when forall(
                    key_names,
                    key_column -> (old_key_image[key_column] rlike '^-?[0-9.]+$')
                    = (coalesce(key_image[key_column], new_image[key_column]) rlike '^-?[0-9.]+$')
                )
                    then {{ cdc.key_values('key_names', 'old_key_image') }}
                else transform(key_names, key_column -> cast(null as string))
            end as key_of_header,
            {{ cdc.is_full_load_word('message.source.snapshot') }} as is_in_full_load
        from judged

    ),

    placed as (

        select
            *,
            if(
                whole_operation = 'snapshot' and not message.source.snapshot <=> 'incremental'
                or whole_operation in ('schema_change', 'truncate') and op is null and coalesce(is_in_full_load, false),
                0,
                1
            ) as phase,
            case
                -- a full load begins with DROP and CREATE of every table: below all of its rows
                when op is null and is_in_full_load then cast(array() as array<decimal(38, 0)>)
                else {{ cdc.debezium_position('connector', 'message.source', 'op') }}
            end as proven_numbers
        from operations

    ),

    numbered as (

        select
            *,
            if(
                size(proven_numbers) > 0,
                concat(
                    proven_numbers,
                    {{ cdc.place_in_transaction('connector', 'message.source', 'message.transaction') }}
                ),
                proven_numbers
            ) as proven_position
        from placed

    ),

    parsed_rows as (

        select
            {{ cdc.record_columns() }},
            0 as image_index,
            whole_operation as operation,
            coalesce(op, message.status, get(message.tableChanges, 0).type) as source_operation,
            {{ cdc.unknown_error('row_error', 'foreign_text', format) }} as error,
            connector as source_type,
            cast(null as string) as catalog_name,
            changed_database as database_name,
            coalesce(changed_schema, message.schemaName) as schema_name,
            changed_table as table_name,
            key_names as key_columns,
            case
                when key_names is null then null
                when whole_operation = 'update' and key_before is not null then key_in_new_image
                else key_of_row
            end as row_key,
            coalesce(key_before, key_of_header) as key_before,
            old_image as before_image,
            case when op <> 'd' then new_image end as after_image,
            is_old_complete as is_before_complete,
            is_row_change and op <> 'd' and sent_after is not null
            and not is_patch and cardinality(missing_after) = 0 as is_after_complete,
            missing_before as before_unavailable,
            missing_after as after_unavailable,
            schema_block as schema_text,
            coalesce(
                timestamp_micros(try_cast(message.source.ts_us as bigint)),
                {{ cdc.epoch_millis('message.source.ts_ms') }}
            ) as changed_at,
            {{ cdc.epoch_millis('message.ts_ms') }} as captured_at,
            case
                -- PostgreSQL's BEGIN and END share only the part before the colon
                when coalesce(message.transaction.id, message.id) rlike '^[0-9]+:[0-9]+$'
                    then substring_index(coalesce(message.transaction.id, message.id), ':', 1)
                else coalesce(message.transaction.id, message.id, message.source.txId, message.source.gtid)
            end as transaction_id,
            phase,
            {{ cdc.distinct_position('proven_position', cdc.numbers_apart('connector', 'message.source')) }} as position,
            if(
                connector in ('mysql', 'mariadb', 'postgresql', 'oracle', 'sqlserver', 'mongodb'),
                'position',
                'offset'
            ) as order_scope,
            {{ cdc.debezium_position_space('message.source') }} as position_space,
            case when message_operation = 'snapshot' then coalesce(message.source.snapshot, op) end as snapshot_mark,
            message.ddl,
            if(whole_operation = 'truncate', 'truncate', kind_of_ddl) as ddl_kind
        from numbered

    )
{%- endmacro %}


{#- Does an update of SQL Server have NULL in place of large values of the row before? Its change tables have varchar(max), nvarchar(max)
    and varbinary(max) there where they changed, and text, ntext and image never: no message distinguishes these from NULL.
    https://learn.microsoft.com/sql/relational-databases/system-tables/cdc-capture-instance-ct-transact-sql -#}
{% macro _lacks_large_values(connector, operation, before_image, after_image) -%}
    coalesce(
                {{ connector }} = 'sqlserver'
                and {{ operation }} = 'update'
                and exists(
                    map_keys({{ before_image }}),
                    column_name -> {{ before_image }}[column_name] is null and {{ after_image }}[column_name] is not null
                ),
                false
            )
{%- endmacro %}
