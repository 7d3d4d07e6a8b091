{#- dtle (actiontech) from MySQL to Kafka: Debezium's envelope with sources of its own, and its topic of schema changes,
    whose messages have no envelope. One record carries one row; its key columns are in the Kafka key.
    Surprise: rows of a full load have op c, and their CHAR columns may be base64 (see _dtle_restored).
    Rules: docs/formats/dtle.md -#}

{% macro parse_dtle(messages) -%}
    with {{ cdc.marked_messages_and_keys(messages) }},

    parsed as (

        select
            *,
            {{ cdc.decode_object('exact_text', '''
                `schema` string,
                payload struct<
                    before map<string, string>, after map<string, string>, op string, ts_ms string,
                    source struct<
                        connector string, ts_sec string, gtid string, file string, pos string, `row` string,
                        snapshot string, db string, `table` string
                    >
                >,
                position struct<ts_sec string, file string, pos string, snapshot string>,
                databaseName string, ddl string, tableChanges array<struct<type string>>''') }} as marked_object,
            {{ cdc.decode_key('exact_key') }} as key_message
        from marked

    ),

    decoded as (

        select
            *,
            {{ cdc.decoded_object('marked_object') }} as message,
            {{ cdc.key_image('key_message') }} as key_image
        from parsed

    ),

    classified as (

        select
            *,
            value is null or coalesce(text <> 'null' and {{ cdc.is_null_text('text') }}, false) as is_tombstone,
            message.payload is null and message.ddl is not null as is_statement,
            {{ cdc.unmarked('message.payload.op') }} as op,
            -- what both kinds of message say of their place in the source
            if(
                message.payload is null,
                named_struct(
                    'ts_sec', message.position.ts_sec, 'file', message.position.file, 'pos', message.position.pos,
                    'row', '0', 'snapshot', message.position.snapshot
                ),
                named_struct(
                    'ts_sec', message.payload.source.ts_sec, 'file', message.payload.source.file,
                    'pos', message.payload.source.pos, 'row', message.payload.source.row,
                    'snapshot', message.payload.source.snapshot
                )
            ) as place,
            {{ cdc.without_marks('message.schema') }} as type_text,
            {{ cdc.exact_numbers('message.payload.before', 'exact_text') }} as sent_before,
            {{ cdc.exact_numbers('message.payload.after', 'exact_text') }} as sent_after
        from decoded

    ),

    read_statements as (

        select
            *,
            case when is_statement then {{ cdc.read_statement('message.ddl') }} end as statement
        from classified

    ),

    named as (

        select
            * except (type_text),
            {{ cdc.block_with_bare_numbers(
                'type_text',
                'sent_before',
                'sent_after',
                "from_json(text, 'payload struct<before map<string, variant>, after map<string, variant>>').payload"
            ) }} as type_text,
            coalesce(lower(place.snapshot) = 'true', false) as is_full_load,
            case when is_statement then coalesce(statement.kind, 'other') end as kind_of_ddl,
            coalesce(statement.is_of_database, false) as is_of_database,
            {{ cdc.part_of_name('get(statement.tables, 0)', 2) }} as database_in_text,
            {{ cdc.part_of_name('get(statement.tables, 0)', 3) }} as table_in_text
        from read_statements

    ),

    located as (

        select
            *,
            nullif(
                case
                    when message.payload is not null then message.payload.source.db
                    when is_of_database and kind_of_ddl <> 'alter' then table_in_text
                    when not is_of_database and kind_of_ddl <> 'other' and database_in_text <> '' then database_in_text
                    else message.databaseName
                end,
                ''
            ) as changed_database,
            nullif(
                case
                    when message.payload is not null then message.payload.source.table
                    when not is_of_database and kind_of_ddl <> 'other' then table_in_text
                end,
                ''
            ) as changed_table
        from named

    ),

    imaged as (

        select
            *,
            -- an image without any column is none
            case when op in ('u', 'd') and cardinality(sent_before) > 0 then sent_before end as old_image,
            case
                when op in ('c', 'u') and cardinality(sent_after) > 0
                    then if(
                        is_full_load and feed_settings['base64_columns'] is not null,
                        {{ cdc._dtle_restored(
                            'sent_after', "feed_settings['base64_columns']", 'changed_database', 'changed_table'
                        ) }},
                        sent_after
                    )
            end as new_image,
            feed_key_columns[concat_ws('.', changed_database, changed_table)] as feed_keys
        from located

    ),

    judged as (

        select
            *,
            case
                when load_error is not null then load_error
                -- where the feed names keys, the rows before it may need none of Kafka's
                when is_tombstone
                    and cardinality(feed_key_columns) = 0
                    and trim(key_text) not in ('', 'null') and key_message.flat is null
                    then {{ cdc._dtle_key_reason() }}
                when is_tombstone then null
                when message is null then {{ cdc.undecodable_reason('value', 'text') }}
                when message.payload is null and not is_statement then 'there is neither a payload nor a ddl'
                when message.payload.source.connector is not null
                    then concat('source.connector is ', message.payload.source.connector, ', but dtle writes none')
                when place.ts_sec is null then 'ts_sec is missing'
                when try_cast(place.ts_sec as bigint) is null
                    then concat('ts_sec is not a whole number: ', {{ cdc.unmarked('place.ts_sec') }})
                when message.payload.ts_ms is not null and try_cast(message.payload.ts_ms as bigint) is null
                    then concat('ts_ms is not a whole number: ', {{ cdc.unmarked('message.payload.ts_ms') }})
                when lower(place.snapshot) not in ('true', 'false')
                    then concat('snapshot is neither true nor false: ', {{ cdc.unmarked('place.snapshot') }})
                when is_statement
                    then {{ cdc.statement_error(
                        'kind_of_ddl', 'statement', 'message.ddl', 'changed_database, changed_table'
                    ) }}
                when op is null then 'op is missing'
                when op not in ('c', 'u', 'd') then concat('op is not known: ', op)
                when is_full_load and op <> 'c' then concat('op ', op, ' in a full load, which has only c')
                when changed_table is null then 'source.table is missing'
                when {{ cdc.has_repeated_column('old_image') }} or {{ cdc.has_repeated_column('new_image') }}
                    then 'a column name occurs twice in a row image'
                when op <> 'd' and new_image is null then concat('op ', op, ' without an after image')
                when op <> 'c' and old_image is null then concat('op ', op, ' without a before image')
                when feed_keys is null and trim(key_text) not in ('', 'null') and key_message.flat is null
                    then {{ cdc._dtle_key_reason() }}
                else {{ cdc.bare_number_reason(['changed_database', 'changed_table'], ['old_image', 'new_image']) }}
            end as row_error
        from imaged

    ),

    operations as (

        select
            *,
            case
                when row_error is not null then 'unknown'
                when is_tombstone then 'tombstone'
                -- a full load clears its target, which is no change of the source
                when is_full_load and kind_of_ddl in ('truncate', 'drop') then 'ignored'
                when kind_of_ddl = 'truncate' then 'truncate'
                when is_statement then 'schema_change'
                when op = 'c' then if(is_full_load, 'snapshot', 'insert')
                when op = 'u' then 'update'
                when op = 'd' then 'delete'
            end as whole_operation,
            -- nothing but a change of a row has a key, and the mark that follows its delete
            case
                when row_error is null and not is_statement
                    then coalesce(feed_keys, map_keys(key_image))
            end as key_names
        from judged

    ),

    keyed as (

        select
            *,
            {{ cdc.key_values('key_names', 'coalesce(new_image, old_image, key_image)') }} as key_of_row,
            case when whole_operation = 'update' then {{ cdc.key_values('key_names', 'old_image') }} end as key_before
        from operations

    ),

    parsed_rows as (

        select
            {{ cdc.record_columns() }},
            0 as image_index,
            whole_operation as operation,
            coalesce(op, get(message.tableChanges, 0).type) as source_operation,
            {{ cdc.unknown_error('row_error', 'text', 'dtle') }} as error,
            case when place.ts_sec is not null and message.payload.source.connector is null then 'mysql' end as source_type,
            cast(null as string) as catalog_name,
            changed_database as database_name,
            cast(null as string) as schema_name,
            changed_table as table_name,
            key_names as key_columns,
            key_of_row as row_key,
            key_before,
            old_image as before_image,
            new_image as after_image,
            old_image is not null as is_before_complete,
            new_image is not null as is_after_complete,
            cast(null as array<string>) as before_unavailable,
            cast(null as array<string>) as after_unavailable,
            type_text as schema_text,
            -- 0 is an unknown time
            {{ cdc.epoch_seconds("nullif(place.ts_sec, '0')") }} as changed_at,
            {{ cdc.epoch_millis('message.payload.ts_ms') }} as captured_at,
            nullif(message.payload.source.gtid, '') as transaction_id,
            if(is_full_load, 0, 1) as phase,
            {{ cdc.distinct_position(cdc._dtle_position('place'), cdc.row_in_event('place')) }} as position,
            'position' as order_scope,
            {{ cdc._dtle_position_space('message.payload.source') }} as position_space,
            case when whole_operation = 'snapshot' then place.snapshot end as snapshot_mark,
            message.ddl,
            kind_of_ddl as ddl_kind
        from keyed

    )

    {{ cdc.to_change_contract('parsed_rows') }}
{%- endmacro %}


{% macro _dtle_key_reason() -%}
    'the Kafka key is not a JSON object: name the key columns of this table in the feed'
{%- endmacro %}


{#- The full load writes CHAR columns as base64, and an empty one as base64 of their type, `char(255)`. VARCHAR columns
    have the same type in the message, so the feed lists the columns: `database.table.column`, with commas. -#}
{% macro _dtle_restored(image, listed_columns, database, table) -%}
    transform_values(
        {{ image }},
        (column_name, wire_text) -> case
            when array_contains(
                split({{ listed_columns }}, r'\s*,\s*'),
                concat_ws('.', {{ database }}, {{ table }}, column_name)
            )
                then coalesce(
                    regexp_replace(
                        try_validate_utf8(cast(try_to_binary(wire_text, 'base64') as string)),
                        r'^char\([0-9]+\)$',
                        ''
                    ),
                    wire_text
                )
            else wire_text
        end
    )
{%- endmacro %}


{#- Number of the log file, position in it; empty where one of them is no number, as in a full load. -#}
{% macro _dtle_position(place) -%}
    cast(
        case
            when {{ place }}.file rlike r'\.[0-9]{1,38}$' and {{ place }}.pos rlike '^[0-9]{1,38}$'
                then array(
                    cast(substring_index({{ place }}.file, '.', -1) as decimal(38, 0)),
                    cast({{ place }}.pos as decimal(38, 0))
                )
            else array()
        end as array<decimal(38, 0)>
    )
{%- endmacro %}


{#- Where a log position counts: server_id is always 1, so the server is the one that its transactions name, with the
    base name of its log files. -#}
{% macro _dtle_position_space(source) -%}
    concat(
        substring_index(nullif({{ source }}.gtid, ''), ':', 1),
        '/',
        regexp_extract({{ source }}.file, r'^(.*)\.[^.]*$', 1)
    )
{%- endmacro %}
