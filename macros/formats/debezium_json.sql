{#- Debezium JSON of every connector, with or without its schema block, and its side topics (schema changes,
    transactions, heartbeats). One record carries one row; its key stands in the Kafka key.
    Surprise: a value that the producer did not have looks like text (see unavailable_values).
    Rules: docs/formats/debezium_json.md -#}

{% macro parse_debezium_json(messages) -%}
    {%- set fields = {
        'op': 'string',
        'before': 'map<string, string>',
        'after': 'map<string, string>',
        'before_text': 'string',
        'after_text': 'string',
        'updateDescription': 'struct<updatedFields string>',
        'source': 'struct<connector string, db string, `schema` string, `table` string, collection string,'
            ~ ' ts_ms string, ts_us string, snapshot string, sequence string, txId string,'
            ~ ' server_id string, file string, pos string, `row` string,'
            ~ ' scn string, commit_scn string, txSeq string, ssn string,'
            ~ ' change_lsn string, commit_lsn string, event_serial_no string, ord string>',
        'transaction': 'struct<id string>',
        'ts_ms': 'string',
        'ddl': 'string',
        'databaseName': 'string',
        'schemaName': 'string',
        'tableChanges': 'array<struct<type string, id string>>',
        'status': 'string',
        'id': 'string'
    } -%}
    {%- set body = [] -%}
    {%- for name, type in fields.items() -%}
        {%- do body.append('`' ~ name ~ '` ' ~ type) -%}
    {%- endfor -%}
    with texts as (

        select
            *,
            {{ json_text('value') }} as text,
            cast(key as string) as key_text
        from {{ messages }}

    ),

    marked as (

        select
            *,
            -- MongoDB's documents are JSON text inside the message: told apart by name before the decode
            {{ mark_fractions(
                "if(contains(text, '\"connector\":\"mongodb\"'),"
                ~ " regexp_replace(text, '\"(before|after)\":\"', '\"$1_text\":\"'), text)"
            ) }} as exact_text
        from texts

    ),

    parsed as (

        select
            *,
            {{ decode_object(
                'exact_text', body | join(', ') ~ ', `schema` string, payload struct<' ~ body | join(', ') ~ '>'
            ) }} as elements,
            from_json(
                concat('{"flat":', key_text, ',"wrapped":', key_text, '}'),
                'flat map<string, string>, wrapped struct<payload map<string, string>>'
            ) as key_message
        from marked

    ),

    enveloped as (

        select
            *,
            {{ decoded_object('elements') }} as envelope,
            case
                when map_contains_key(key_message.flat, 'schema') and map_contains_key(key_message.flat, 'payload')
                    then key_message.wrapped.payload
                else key_message.flat
            end as key_image
        from parsed

    ),

    decoded as (

        select
            *,
            envelope.schema as schema_block,
            coalesce(
                envelope.payload,
                case
                    when envelope is not null
                        then named_struct(
                            {%- for name in fields %}
                            '{{ name }}', envelope.`{{ name }}`{{ ',' if not loop.last }}
                            {%- endfor %}
                        )
                end
            ) as message
        from enveloped

    ),

    imaged as (

        select
            *,
            lower(message.source.connector) as connector,
            coalesce(message.source.table, message.source.collection) as changed_table,
            coalesce(
                {{ exact_numbers('message.before', 'exact_text') }},
                from_json(message.before_text, 'map<string, string>')
            ) as sent_before,
            coalesce(
                {{ exact_numbers('message.after', 'exact_text') }},
                from_json(
                    coalesce(message.after_text, message.updateDescription.updatedFields),
                    'map<string, string>'
                )
            ) as sent_after,
            message.after_text is null and message.updateDescription.updatedFields is not null as is_patch
        from decoded

    ),

    judged as (

        select
            *,
            {{ unavailable_columns('sent_before') }} as missing_before,
            {{ unavailable_columns('sent_after') }} as missing_after,
            case
                when connector = 'mongodb' then array('_id')
                else coalesce(
                    feed_key_columns[concat_ws('.', message.source.db, message.source.schema, changed_table)],
                    map_keys(key_image)
                )
            end as keys,
            {{ debezium_position('message.source') }} as source_position,
            case
                when load_error is not null then load_error
                when value is null or text = 'null' then null
                when envelope is null then {{ undecodable_reason('value', 'text') }}
                when message.op is null then
                    case
                        when message.ddl is not null or message.tableChanges is not null then null
                        when message.status in ('BEGIN', 'END') then null
                        when message.source is null and message.ts_ms is not null
                            and message.before is null and message.after is null then null
                        else 'op is missing'
                    end
                when message.op not in ('c', 'r', 'u', 'd', 't', 'm')
                    then concat('op is not known: ', message.op)
                when message.op = 'm' then null
                when message.source is null then 'source is missing or not an object'
                when coalesce(changed_table, '') = '' then 'source.table is missing'
                when message.ts_ms is not null and try_cast(message.ts_ms as bigint) is null
                    then concat('ts_ms is not a whole number: ', message.ts_ms)
                when message.op in ('c', 'r') and sent_after is null
                    then concat('op ', message.op, ' without an after image')
                when message.op = 'u' and sent_after is null
                    then 'op u without an after image'
                when message.op = 'd' and sent_before is null and key_image is null
                    then 'op d without a before image and without a key'
                when {{ has_repeated_column('message.before') }} or {{ has_repeated_column('message.after') }}
                    then 'a column name stands twice in a row image'
            end as row_error
        from imaged

    ),

    keyed as (

        select
            *,
            case
                when connector = 'mongodb' then map_values(key_image)
                when keys = map_keys(key_image) then map_values(key_image)
                else {{ key_values('keys', 'coalesce(sent_after, sent_before)') }}
            end as key_of_row,
            case
                when message.op = 'u' and cardinality(sent_before) > 0 and connector <> 'mongodb'
                    and {{ key_values('keys', 'sent_before') }} <> {{ key_values('keys', 'sent_after') }}
                    then {{ key_values('keys', 'sent_before') }}
            end as key_before,
            case
                when message.op = 'c' and exists(headers, header -> header.key = '__debezium.oldkey')
                    then map_values(from_json(
                        cast(filter(headers, header -> header.key = '__debezium.oldkey')[0].value as string),
                        'map<string, string>'
                    ))
            end as key_left_behind
        from judged

    ),

    operations as (

        select
            *,
            case
                when row_error is not null then 'unknown'
                when value is null or text = 'null' then 'tombstone'
                when message.op = 'c' then 'insert'
                when message.op = 'u' then 'update'
                when message.op = 'd' then 'delete'
                when message.op = 'r' then 'snapshot'
                when message.op = 't' then 'truncate'
                when message.op = 'm' then 'ignored'
                when message.ddl is not null and {{ ddl_kind('message.ddl') }} = 'truncate' then 'truncate'
                when message.ddl is not null or message.tableChanges is not null then 'schema_change'
                when message.status = 'BEGIN' then 'transaction_begin'
                when message.status = 'END' then 'transaction_end'
                else 'heartbeat'
            end as whole_operation,
            if(message.op = 'r' and message.source.snapshot <> 'incremental', 0, 1) as phase
        from keyed

    ),

    halves as (

        select
            operations.*,
            half
        from operations
            lateral view explode(
                if(whole_operation = 'update' and key_before is not null, array('delete', 'upsert'), array('whole'))
            ) as half

    ),

    canonical as (

        select
            feed,
            topic,
            topic_generation,
            partition,
            offset,
            if(half = 'upsert', 1, 0) as row_index,
            `timestamp` as message_timestamp,
            load_id,
            bronze_version,
            1 as parser_version,
            if(half = 'whole', whole_operation, half) as operation,
            coalesce(message.op, message.status, message.tableChanges[0].type) as source_operation,
            {{ unknown_error('row_error', 'text', 'debezium_json') }} as error,
            connector as source_type,
            coalesce(message.source.db, message.databaseName) as database_name,
            coalesce(message.source.schema, message.schemaName) as schema_name,
            changed_table as table_name,
            case when row_error is null then keys end as key_columns,
            case when row_error is null then if(half = 'delete', key_before, key_of_row) end as row_key,
            if(half = 'upsert', key_before, key_left_behind) as previous_row_key,
            case
                when row_error is null and half <> 'upsert'
                    then map_filter(sent_before, (column_name, wire_text) -> not array_contains(missing_before, column_name))
            end as before_image,
            case
                when row_error is null and half <> 'delete' and message.op <> 'd'
                    then map_filter(sent_after, (column_name, wire_text) -> not array_contains(missing_after, column_name))
            end as after_image,
            row_error is null and half <> 'upsert' and cardinality(sent_before) > 0 and cardinality(missing_before) = 0
            and (connector not in ('postgresql', 'mongodb') or feed_before_images = 'complete') as is_before_complete,
            row_error is null and half <> 'delete' and sent_after is not null and not is_patch
            and cardinality(missing_after) = 0 as is_after_complete,
            if(row_error is null and half <> 'upsert', missing_before, array()) as before_unavailable,
            if(row_error is null and half <> 'delete', missing_after, array()) as after_unavailable,
            md5(schema_block) as schema_id,
            schema_block as schema_text,
            coalesce(
                timestamp_micros(try_cast(message.source.ts_us as bigint)),
                {{ epoch_millis('message.source.ts_ms') }}
            ) as changed_at,
            {{ epoch_millis('message.ts_ms') }} as captured_at,
            case
                -- PostgreSQL's BEGIN and END share only the part before the colon
                when coalesce(message.transaction.id, message.id) rlike '^[0-9]+:[0-9]+$'
                    then substring_index(coalesce(message.transaction.id, message.id), ':', 1)
                else coalesce(message.transaction.id, message.id, message.source.txId)
            end as transaction_id,
            named_struct(
                'phase', phase,
                'position', source_position,
                'offset', offset,
                'row_index', if(half = 'upsert', 1, 0)
            ) as change_sequence,
            if(
                connector in ('mysql', 'mariadb', 'postgresql', 'oracle', 'sqlserver', 'mongodb'),
                'position',
                'offset'
            ) as order_scope,
            case
                when message.source.file is not null
                    then concat_ws(
                        '/',
                        nullif(message.source.server_id, '0'),
                        regexp_replace(message.source.file, '[.]?[0-9]+$', '')
                    )
            end as position_space,
            case when message.op = 'r' then message.source.snapshot end as snapshot_mark,
            message.ddl as ddl,
            case
                when whole_operation = 'truncate' then 'truncate'
                when whole_operation = 'schema_change'
                    then case
                        when {{ ddl_kind('message.ddl') }} <> 'other' then {{ ddl_kind('message.ddl') }}
                        else coalesce(nullif(lower(message.tableChanges[0].type), ''), 'other')
                    end
            end as ddl_kind
        from halves

    )

    select * from canonical
{%- endmacro %}
