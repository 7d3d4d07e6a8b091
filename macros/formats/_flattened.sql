{#- Changes of rows that are flat at the root of a message, or under `payload` of Kafka Connect's envelope: the writer
    took the rest of the message away. A format chains these fragments, and writes what is its own as a CTE between them:

    _flattened_messages         from bronze to `decoded`: envelope, `message` with all fields, the Kafka key, the type block
    (the format's own)          `split_up`: `sent_row` with the columns of the row, `added_fields` with what the writer added to
                                them, and `added_prefix`, with which the names of these begin
    _flattened_parsed_rows      from `split_up` to `parsed_rows`, for to_change_contract -#}

{% macro _flattened_messages(messages) -%}
    {{ cdc.marked_messages_and_keys(messages) }},

    parsed as (

        select
            *,
            -- a row without an envelope is put into a list, which shows whether it is one
            {{ cdc.decode_object(
                "if(" ~ cdc._is_connect_envelope('text') ~ ", exact_text, concat('{\"bare\":[', exact_text, ']}'))",
                '`schema` string, payload map<string, string>, bare array<map<string, string>>'
            ) }} as marked_object,
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
            -- a record without a value has the types of its key alone
            coalesce(
                {{ cdc.without_marks('envelope.schema') }},
                case
                    when (value is null or {{ cdc.is_null_text('text') }})
                        and map_contains_key(key_message.flat, 'payload')
                        and startswith(key_message.flat['schema'], '{')
                        then {{ cdc.without_marks("key_message.flat['schema']") }}
                end
            ) as schema_block,
            {{ cdc.exact_numbers(
                'coalesce(envelope.payload, case when size(envelope.bare) = 1 then envelope.bare[0] end)', 'exact_text'
            ) }} as message,
            value is null or coalesce({{ cdc.is_null_text('text') }}, false) as is_null_value
        from enveloped

    )
{%- endmacro %}


{% macro _flattened_parsed_rows(split_up) -%}
    typed as (

        select
            * except (schema_block),
            {{ cdc.block_with_bare_numbers(
                'schema_block',
                'cast(map() as map<string, string>)',
                'message',
                "named_struct(
                    'before', cast(map() as map<string, variant>),
                    'after', from_json(text, 'payload map<string, variant>').payload
                )"
            ) }} as schema_block,
            {{ cdc.has_repeated_column('message') }} as is_ambiguous
        from {{ split_up }}

    ),

    named as (

        select
            *,
            lower(added_fields['__deleted']) as deleted_word,
            {{ cdc._added_field('op') }} as op,
            {{ cdc._added_field('connector') }} as connector,
            coalesce(nullif({{ cdc._added_field('db') }}, ''), feed_settings['database']) as changed_database,
            coalesce(nullif({{ cdc._added_field('schema') }}, ''), feed_settings['schema']) as changed_schema,
            -- Debezium names a topic after the table
            coalesce(nullif({{ cdc._added_field('table') }}, ''), substring_index(topic, '.', -1))
                as changed_table,
            {{ cdc._added_field('snapshot') }} as snapshot_word,
            added_fields[concat(added_prefix, 'source_ts_ms')] as source_millis,
            added_fields[concat(added_prefix, 'ts_ms')] as captured_millis,
            coalesce(
                {{ cdc._added_field('transaction_id') }},
                {{ cdc._added_field('txId') }},
                {{ cdc._added_field('gtid') }}
            ) as transaction_id,
            {{ cdc.unavailable_columns('sent_row') }} as missing_columns
        from typed

    ),

    classified as (

        select
            *,
            case
                when is_null_value or op = 'd' then 'delete'
                when op is null and deleted_word = 'true' then 'delete'
                -- ReadToInsertEvent writes the rows of a full load so
                when op = 'c' and {{ cdc.is_full_load_word('snapshot_word') }} then 'snapshot'
                when op = 'c' then 'insert'
                when op = 'u' then 'update'
                when op = 'r' then 'snapshot'
                when op is null then 'upsert'
            end as message_operation,
            feed_key_columns[concat_ws('.', changed_database, changed_schema, changed_table)] as feed_keys,
            {{ cdc.without_columns('sent_row', 'missing_columns') }} as row_image
        from named

    ),

    keyed as (

        select
            *,
            {{ cdc.bare_number_reason(
                ['changed_database', 'changed_schema', 'changed_table'],
                ['row_image', 'key_image'],
                "concat_ws(' ', text, key_text)"
            ) }} as bare_number_error,
            coalesce(feed_keys, map_keys(key_image)) as key_names,
            case
                when feed_keys is null then map_values(key_image)
                else {{ cdc.key_values_of_either('feed_keys', 'key_image', 'row_image') }}
            end as key_of_row,
            case
                when message_operation = 'delete' and lower(connector) = 'postgresql'
                    then {{ cdc.defaults_of_columns('schema_block') }}
            end as defaults
        from classified

    ),

    judged as (

        select
            *,
            case
                when load_error is not null then load_error
                when is_null_value and key_of_row is null
                    then 'a null value says that a row is gone, but the Kafka key does not say which'
                when is_null_value then bare_number_error
                when envelope is null or message is null and not {{ cdc._is_connect_envelope('text') }}
                    then {{ cdc.undecodable_reason('value', 'text') }}
                when message is null then 'payload is missing or not an object'
                when is_ambiguous then 'a column name occurs twice in the row'
                when deleted_word not in ('true', 'false')
                    then concat('__deleted is neither true nor false: ', added_fields['__deleted'])
                when message_operation is null then concat('op is not known: ', op)
                when deleted_word = 'true' and message_operation <> 'delete' or deleted_word = 'false' and op = 'd'
                    then concat('__deleted is ', deleted_word, ', but op is ', op)
                when lower(connector) not in ({{ cdc.known_connectors() }}) then {{ cdc.unknown_connector_reason('lower(connector)') }}
                when source_millis is not null and try_cast(source_millis as bigint) is null
                    then concat('source_ts_ms is not a whole number: ', source_millis)
                when captured_millis is not null and try_cast(captured_millis as bigint) is null
                    then concat('ts_ms is not a whole number: ', captured_millis)
                when map_contains_key(sent_row, 'op') and startswith(sent_row['source'], '{')
                    and (map_contains_key(sent_row, 'before') or map_contains_key(sent_row, 'after'))
                    then 'a whole message of Debezium, not a flattened row: the feed has another format'
                when bare_number_error is not null then bare_number_error
                when message_operation <> 'delete' and cardinality(sent_row) = 0 then 'the row has no columns'
                when feed_keys is null and key_image is null and trim(key_text) not in ('', 'null')
                    and key_message.flat is null
                    then 'the Kafka key is not a JSON object: name the key columns of this table in the feed'
                when feed_keys is not null and key_of_row is null
                    then 'the message does not hold the key columns that the feed names'
                when message_operation = 'delete' and key_of_row is null
                    then 'a delete without a key does not say which row is gone: name the key columns of this table in the feed'
                when message_operation = 'delete'
                    and lower(connector) = 'postgresql'
                    and not feed_settings['before_images'] <=> 'complete'
                    and {{ cdc.may_be_made_up('row_image', 'defaults') }}
                    then {{ cdc.made_up_key_reason('row_image', 'defaults') }}
            end as row_error
        from keyed

    ),

    operations as (

        select
            *,
            if(row_error is null, message_operation, 'unknown') as operation,
            coalesce(row_error is null and message_operation <> 'delete', false) as has_row
        from judged

    ),

    parsed_rows as (

        select
            {{ cdc.record_columns() }},
            0 as image_index,
            operation,
            coalesce(op, added_fields['__deleted']) as source_operation,
            -- the flattened rows of all writers look alike
            {{ cdc.unknown_error('row_error', 'text', 'debezium_smt') }} as error,
            lower(connector) as source_type,
            cast(null as string) as catalog_name,
            changed_database as database_name,
            changed_schema as schema_name,
            changed_table as table_name,
            key_names as key_columns,
            key_of_row as row_key,
            cast(null as array<string>) as key_before,
            -- of a deleted row only the key is sure
            case
                when operation = 'delete' and exists(key_names, key_column -> map_contains_key(row_image, key_column))
                    then map_filter(row_image, (column_name, wire_text) -> array_contains(key_names, column_name))
            end as before_image,
            case when has_row then {{ cdc.with_key_columns('row_image', 'sent_row') }} end as after_image,
            false as is_before_complete,
            has_row and cardinality(missing_columns) = 0 as is_after_complete,
            cast(null as array<string>) as before_unavailable,
            case when has_row then missing_columns end as after_unavailable,
            schema_block as schema_text,
            {{ cdc.epoch_millis('source_millis') }} as changed_at,
            {{ cdc.epoch_millis('captured_millis') }} as captured_at,
            transaction_id,
            -- only the word distinguishes a full load from rows that were read again during the stream
            if(operation = 'snapshot' and {{ cdc.is_full_load_word('snapshot_word') }}, 0, 1) as phase,
            cast(array() as array<decimal(38, 0)>) as position,
            'offset' as order_scope,
            cast(null as string) as position_space,
            case when operation = 'snapshot' then snapshot_word end as snapshot_mark,
            cast(null as string) as ddl,
            cast(null as string) as ddl_kind
        from operations

    )
{%- endmacro %}


{#- True for {"schema":{...},...} and {"schema":null,"payload":...}, and for the first the other way round; a column that is
    called schema has a text. -#}
{% macro _is_connect_envelope(text) -%}
    coalesce(
        {{ text }} rlike r'^\s*[{]\s*"schema"\s*:\s*([{]|null\s*,\s*"payload"\s*:)'
        or {{ text }} rlike r'^\s*[{]\s*"payload"\s*:\s*([{]|null)'
        and {{ text }} rlike r'[}l]\s*,\s*"schema"\s*:\s*[{]\s*"',
        false
    )
{%- endmacro %}


{#- A field of the message's `source` that was added to the row, under its own name or after "source_". -#}
{% macro _added_field(name) -%}
    coalesce(
        added_fields[concat(added_prefix, '{{ name }}')],
        added_fields[concat(added_prefix, 'source_{{ name }}')]
    )
{%- endmacro %}
