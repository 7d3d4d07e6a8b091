{#- TiCDC's open protocol, from TiDB. A record carries a batch: the Kafka key a list of what was changed and when, the
    value the list of rows, a DDL text, or nothing (a resolved event). Surprise: neither is JSON. Both are frames of an
    8-byte length and JSON, one after another, in the key after an 8-byte version. A pair of JSON texts, which
    something upstream has taken out of its frames, is read as well. Rules: docs/formats/ticdc_open.md -#}

{% macro parse_ticdc_open(messages) -%}
    with records as (

        select
            *,
            -- no JSON text begins with a zero byte
            coalesce(startswith(value, X'00') or value is not null and startswith(key, X'00'), false) as is_framed
        from {{ messages }}

    ),

    framed_keys as (

        select
            *,
            case when is_framed then {{ cdc._ticdc_frames('key', 9, 'length(bytes) div 8') }} end as key_frames
        from records

    ),

    framed as (

        select
            *,
            case when is_framed then {{ cdc._ticdc_frames('value', 1, 'size(key_frames.entries)') }} end as value_frames
        from framed_keys

    ),

    weighed as (

        select
            *,
            {{ cdc._ticdc_frames_end('key', 'key_frames') }} as key_end,
            {{ cdc._ticdc_frames_end('value', 'value_frames') }} as value_end
        from framed

    ),

    checked as (

        select
            *,
            case
                when load_error is not null then load_error
                when not is_framed then null
                when key is null then 'the value has frames, but there is no Kafka key'
                when not startswith(key, X'0000000000000001')
                    then concat('the Kafka key does not begin with version 1, but with ', hex(substring(key, 1, 8)))
                when key_end is not null then concat('the Kafka key ', key_end)
                when size(key_frames.entries) = 0 then 'the Kafka key has no entries'
                when size(value_frames.entries) > size(key_frames.entries)
                    or value_end is null and value_frames.at <= length(value)
                    then concat('the value has more entries than the Kafka key, which has ', size(key_frames.entries))
                when value_end is not null then concat('the value ', value_end)
                when size(value_frames.entries) < size(key_frames.entries)
                    then concat(
                        'entries in the Kafka key: ', size(key_frames.entries),
                        ', in the value: ', size(value_frames.entries)
                    )
            end as record_error
        from weighed

    ),

    -- without the bytes of the whole batch, which would be copied into every row of it
    entries as (

        select
            {{ cdc.record_columns() }},
            feed_key_columns,
            feed_settings,
            record_error,
            is_framed,
            coalesce(entry_index, 0) as entry_index,
            entry.key,
            entry.value
        from checked
            lateral view outer posexplode(
                case
                    when record_error is not null then null
                    when is_framed
                        then zip_with(
                            key_frames.entries,
                            value_frames.entries,
                            (entry_key, entry_value) -> named_struct('key', entry_key, 'value', entry_value)
                        )
                    else array(named_struct('key', key, 'value', value))
                end
            ) as entry_index, entry

    ),

    {{ cdc.exact_messages('entries', '''
                u map<string, struct<t string, h string, f string, v string>>,
                p map<string, struct<v string>>,
                d map<string, struct<t string, h string, f string, v string>>,
                q string, t string''') }},

    addressed as (

        select
            *,
            -- a list, since text after one object would be ignored in silence
            from_json(
                concat('[', try_validate_utf8(cast(key as string)), ']'),
                'array<struct<ts string, scm string, tbl string, t string, ohk string, ccl string>>'
            ) as addresses
        from decoded

    ),

    named as (

        select
            *,
            case when size(addresses) = 1 then addresses[0] end as address,
            {{ cdc.unmarked('message.q') }} as ddl_text,
            {{ cdc.unmarked('message.t') }} as ddl_action,
            case
                when cardinality(message.d) > 0 then message.d
                when cardinality(message.u) > 0 then message.u
            end as sent_columns,
            {{ cdc._ticdc_sent_image('message.u') }} as sent_row,
            {{ cdc._ticdc_sent_image('message.p') }} as sent_before,
            {{ cdc._ticdc_sent_image('message.d') }} as sent_deleted
        from addressed

    ),

    classified as (

        select
            *,
            nullif(address.scm, '') as changed_database,
            nullif(address.tbl, '') as changed_table,
            coalesce(address.t = '1', false) as is_row_change,
            coalesce(address.t = '2', false) as is_ddl,
            coalesce(address.t = '3', false) as is_resolved,
            coalesce(lower(address.ohk) = 'true' or address.ccl <> '', false) as is_key_alone,
            -- LZ4 has a mark of its own; what else is no JSON begins with no brace
            message is null and (
                startswith(value, X'04224D18') or is_framed and length(value) > 0 and not startswith(value, X'7B')
            ) as is_compressed
        from named

    ),

    read_statements as (

        select
            *,
            {{ cdc.read_statement('ddl_text') }} as statement
        from classified

    ),

    kinds as (

        select
            *,
            {{ cdc._ticdc_ddl_kind('ddl_action', 'statement') }} as kind_of_ddl
        from read_statements

    ),

    judged as (

        select
            *,
            case
                when record_error is not null then record_error
                when value is null and not is_resolved then {{ cdc.lost_delete_reason() }}
                when is_compressed
                    then 'the value is compressed, or no JSON object:'
                        || ' set large-message-handle-compression of the changefeed to none'
                when message is null and not (is_resolved and coalesce(length(value), 0) = 0)
                    then {{ cdc.undecodable_reason('value', 'text') }}
                when address is null then 'the Kafka key, which names commit and table, is not one JSON object'
                when address.ts is null then 'ts is missing in the Kafka key'
                when address.ts not rlike '^[0-9]{1,20}$'
                    then concat('ts of the Kafka key is not a whole number: ', address.ts)
                when address.t is null then 't is missing in the Kafka key'
                when lower(address.ohk) not in ('true', 'false')
                    then concat('ohk of the Kafka key is neither true nor false: ', address.ohk)
                when is_resolved and message is not null
                    then 'a resolved event (t 3 in the Kafka key) with a value'
                when is_resolved then null
                when is_ddl and ddl_text is null then 'q is missing'
                when is_ddl and ddl_action is null then 't is missing'
                when is_ddl and ddl_action not rlike '^[0-9]{1,9}$'
                    then concat('t is not a whole number: ', ddl_action)
                when not is_ddl and not is_row_change
                    then concat('t of the Kafka key is not known: ', address.t)
                when (is_row_change or kind_of_ddl = 'truncate') and changed_table is null
                    then 'tbl is missing in the Kafka key'
                when is_ddl
                    then {{ cdc.statement_of_table_error(
                        'kind_of_ddl', 'statement', 'ddl_text', 'changed_database, changed_table'
                    ) }}
                when sent_row is null and sent_deleted is null then 'no columns in u or d'
                when sent_deleted is not null and (sent_row is not null or sent_before is not null)
                    then 'd beside u or p: one row is either deleted or written'
                when sent_row is not null and address.ccl <> ''
                    then concat('the row was too large for Kafka and lies at ', address.ccl)
                when sent_row is not null and is_key_alone
                    then 'the row was too large for Kafka: the message has only its key (ohk)'
                when {{ cdc.has_repeated_column('sent_row') }} or {{ cdc.has_repeated_column('sent_before') }}
                    or {{ cdc.has_repeated_column('sent_deleted') }}
                    then 'a column name occurs twice in a row image'
                else {{ cdc.bare_number_reason(['changed_database', 'changed_table'], ['sent_row', 'sent_before', 'sent_deleted']) }}
            end as row_error
        from kinds

    ),

    operations as (

        select
            *,
            case
                when row_error is not null then 'unknown'
                when is_resolved then 'heartbeat'
                when value is null then 'tombstone'
                when kind_of_ddl = 'truncate' and is_ddl then 'truncate'
                when is_ddl then 'schema_change'
                when sent_deleted is not null then 'delete'
                when sent_before is not null then 'update'
                -- without old values an update looks like an insert
                when feed_settings['old_values'] = 'dropped' then 'upsert'
                else 'insert'
            end as whole_operation,
            map_keys(
                map_filter(
                    sent_columns,
                    (column_name, sent) -> sent.h = 'true' or try_cast(sent.f as bigint) & 2 = 2
                )
            ) as handle_columns
        from judged

    ),

    imaged as (

        select
            *,
            case
                when whole_operation = 'update' then {{ cdc.overlaid('sent_row', 'sent_before') }}
                when whole_operation = 'delete' then sent_deleted
            end as old_image,
            case when whole_operation in ('insert', 'update', 'upsert') then sent_row end as new_image,
            -- nothing but a change of a row has a key
            case
                when row_error is null and value is not null and is_row_change
                    then coalesce(
                        feed_key_columns[concat_ws('.', changed_database, changed_table)],
                        case when size(handle_columns) > 0 then handle_columns end
                    )
            end as key_names,
            {{ cdc.without_marks("to_json(transform_values(
                sent_columns, (column_name, sent) -> named_struct('t', sent.t, 'f', sent.f)
            ))") }} as type_text
        from operations

    ),

    keyed as (

        select
            *,
            {{ cdc.key_values('key_names', 'coalesce(new_image, old_image)') }} as key_of_row,
            case when whole_operation = 'update' then {{ cdc.key_values('key_names', 'old_image') }} end as key_before
        from imaged

    ),

    parsed_rows as (

        select
            {{ cdc.record_columns() }},
            entry_index as image_index,
            whole_operation as operation,
            case
                when is_resolved then 'resolved'
                when is_ddl then ddl_action
                else nullif(
                    concat_ws(
                        ', ',
                        if(sent_row is not null, 'u', null),
                        if(sent_before is not null, 'p', null),
                        if(sent_deleted is not null, 'd', null)
                    ),
                    ''
                )
            end as source_operation,
            {{ cdc.unknown_error('row_error', 'text', 'ticdc_open') }} as error,
            case when address.ts is not null then 'tidb' end as source_type,
            cast(null as string) as catalog_name,
            changed_database as database_name,
            cast(null as string) as schema_name,
            changed_table as table_name,
            key_names as key_columns,
            key_of_row as row_key,
            key_before,
            old_image as before_image,
            new_image as after_image,
            -- of a deleted row the message may carry the key alone
            old_image is not null
            and (whole_operation = 'update' or not is_key_alone and size(handle_columns) < size(old_image))
                as is_before_complete,
            new_image is not null as is_after_complete,
            cast(null as array<string>) as before_unavailable,
            cast(null as array<string>) as after_unavailable,
            type_text as schema_text,
            {{ cdc._ticdc_commit_time('address.ts') }} as changed_at,
            cast(null as timestamp) as captured_at,
            cast(null as string) as transaction_id,
            1 as phase,
            {{ cdc._ticdc_position('address.ts') }} as position,
            'position' as order_scope,
            cast(null as string) as position_space,
            cast(null as string) as snapshot_mark,
            ddl_text as ddl,
            kind_of_ddl as ddl_kind
        from keyed

    )

    {{ cdc.to_change_contract('parsed_rows', deletes_first=true) }}
{%- endmacro %}


{#- The entries of a row of frames, each 8 bytes of length and as many bytes: read one after another from `start` on, until
    one does not fit or at least `steps` are read. `at` is where the next one would begin, `size` its length,
    NULL if that is none. A list is copied whenever something is appended, and a column whenever it is named: so
    entries are read in parts of 64, and the bytes have an inner name. -#}
{% macro _ticdc_frames(bytes, start, steps) -%}
    transform(
        array({{ bytes }}),
        bytes -> aggregate(
            array_repeat(0, cast(ceil({{ steps }} / 64) as int)),
            named_struct(
                'at', {{ start }},
                'size', {{ cdc._ticdc_frame_size('bytes', start) }},
                'parts', cast(array() as array<array<binary>>)
            ),
            (frames, part) -> aggregate(
                array_repeat(0, cast(least(64, {{ steps }}) as int)),
                named_struct('at', frames.at, 'size', frames.size, 'entries', cast(array() as array<binary>)),
                (read, step) -> if(
                    read.size <= length(bytes) - read.at - 7,
                    named_struct(
                        'at', read.at + 8 + read.size,
                        'size', {{ cdc._ticdc_frame_size('bytes', 'read.at + 8 + read.size') }},
                        'entries', array_append(read.entries, substring(bytes, read.at + 8, read.size))
                    ),
                    read
                ),
                read -> named_struct(
                    'at', read.at, 'size', read.size, 'parts', array_append(frames.parts, read.entries)
                )
            ),
            frames -> named_struct('at', frames.at, 'size', frames.size, 'entries', flatten(frames.parts))
        )
    )[0]
{%- endmacro %}


{% macro _ticdc_frame_size(bytes, at) -%}
    try_cast(conv(hex(substring({{ bytes }}, {{ at }}, 8)), 16, 10) as int)
{%- endmacro %}


{#- What is wrong after the last entry that was read; NULL where the bytes end there, or another entry follows. -#}
{% macro _ticdc_frames_end(bytes, frames) -%}
    case
        when {{ frames }}.at > length({{ bytes }}) then null
        when {{ frames }}.at > length({{ bytes }}) - 7
            then concat('has ', length({{ bytes }}) - {{ frames }}.at + 1, ' bytes after its last entry')
        when {{ frames }}.size is null
            then concat(
                'has an impossible length for entry ', size({{ frames }}.entries) + 1,
                ': ', hex(substring({{ bytes }}, {{ frames }}.at, 8))
            )
        when {{ frames }}.size > length({{ bytes }}) - {{ frames }}.at - 7
            then concat(
                'ends within entry ', size({{ frames }}.entries) + 1, ', which has ', {{ frames }}.size,
                ' bytes by its length, but ', length({{ bytes }}) - {{ frames }}.at - 7
            )
    end
{%- endmacro %}


{#- The values of the columns as they were sent; NULL where there is no column. A column without a value is NULL, as
    TiCDC's own consumer has it. -#}
{% macro _ticdc_sent_image(columns) -%}
    case
        when cardinality({{ columns }}) > 0
            then {{ cdc.exact_numbers('transform_values(' ~ columns ~ ', (column_name, sent) -> sent.v)', 'exact_text') }}
    end
{%- endmacro %}


{#- By the number of TiDB's action, else by the text: only these actions are what their text may hide. -#}
{% macro _ticdc_ddl_kind(action, statement) -%}
    case
        when {{ action }} in ('1', '3') then 'create'
        when {{ action }} in ('2', '4') then 'drop'
        when {{ action }} in ('5', '6') then 'alter'
        when {{ action }} = '11' then 'truncate'
        when {{ action }} = '14' then 'rename'
        else coalesce({{ statement }}.kind, 'other')
    end
{%- endmacro %}
