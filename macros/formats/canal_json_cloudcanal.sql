{#- CloudCanal's output in Canal's envelope. One message carries N row images in `data`; an update also carries
    `old`, the rows as they were, paired with `data` by position.
    Surprise: only the envelope is Canal's. How a value is written is not, and `id` is 0.
    Rules: docs/formats/canal_json_cloudcanal.md -#}

{% macro parse_canal_json_cloudcanal(messages) -%}
    with texts as (

        select
            *,
            {{ json_text('value') }} as text
        from {{ messages }}

    ),

    marked as (

        select
            *,
            {{ mark_fractions('text') }} as exact_text
        from texts

    ),

    parsed as (

        select
            *,
            {{ decode_object('exact_text', '''
                data array<map<string, string>>, old array<map<string, string>>,
                database string, `table` string, type string, isDdl string, es string, ts string,
                gtid string, sql string, pkNames array<string>, mysqlType string''') }} as elements
        from marked

    ),

    decoded as (

        select
            *,
            {{ decoded_object('elements') }} as message
        from parsed

    ),

    named as (

        select
            *,
            upper(message.type) as word,
            -- the text says not which of Canal's relatives wrote it: none is named
            case when not contains(text, '"isDdl":') then text end as foreign_text,
            lower(message.isDdl) = 'true' as is_ddl,
            nullif(rtrim(message.table), '') as changed_table,
            lower(message.isDdl) = 'true' and upper(message.type) = 'QUERY'
            and {{ ddl_kind('message.sql') }} = 'truncate' as is_truncate_by_text,
            case
                when upper(message.type) = 'DELETE'
                    and not coalesce(exists(message.data, sent_row -> size(sent_row) > 0), false)
                    then message.old
                else message.data
            end as sent_rows,
            {{ without_marks('message.mysqlType') }} as type_text,
            coalesce(
                feed_key_columns[concat_ws('.', message.database, rtrim(message.table))],
                case when size(message.pkNames) > 0 then message.pkNames end
            ) as key_names
        from decoded

    ),

    judged as (

        select
            *,
            case
                when load_error is not null then load_error
                when value is null then null
                when message is null then {{ undecodable_reason('value', 'text') }}
                when word is null then 'type is missing'
                when lower(message.isDdl) not in ('true', 'false')
                    then concat('isDdl is neither true nor false: ', {{ unmarked('message.isDdl') }})
                when message.es is not null and try_cast(message.es as bigint) is null
                    then concat('es is not a whole number: ', {{ unmarked('message.es') }})
                when message.ts is not null and try_cast(message.ts as bigint) is null
                    then concat('ts is not a whole number: ', {{ unmarked('message.ts') }})
                when is_ddl and word in ('INSERT', 'UPDATE', 'DELETE', 'ROW')
                    then concat('isDdl is true, but type is ', message.type)
                when is_truncate_by_text and changed_table is null then 'table is missing'
                when word in ('QUERY', 'GTID', 'XACOMMIT', 'XAROLLBACK', 'CREATE', 'ALTER', 'ERASE', 'RENAME', 'CINDEX', 'DINDEX')
                    then null
                when is_ddl and word <> 'TRUNCATE' then null
                when word not in ('INSERT', 'UPDATE', 'DELETE', 'ROW', 'TRUNCATE')
                    then concat('type is not known: ', {{ unmarked('message.type') }})
                when changed_table is null then 'table is missing'
                when word = 'TRUNCATE' then null
                when coalesce(size(sent_rows), 0) < 1 and message.sql <> ''
                    then 'a statement without row images (binlog_format is not ROW): ' || message.sql
                when coalesce(size(sent_rows), 0) < 1
                    then 'data is missing, empty, or not a list of rows'
            end as message_error
        from named

    ),

    row_images as (

        select
            judged.*,
            coalesce(image_index, 0) as image_index,
            {{ exact_numbers('row_image', 'exact_text') }} as row_image,
            case
                when word = 'UPDATE' and size(message.old) = size(message.data)
                    then {{ exact_numbers('message.old[image_index]', 'exact_text') }}
            end as changed_values
        from judged
            lateral view outer posexplode(
                case when message_error is null and word in ('INSERT', 'UPDATE', 'DELETE', 'ROW') then sent_rows end
            ) as image_index, row_image

    ),

    checked as (

        select
            *,
            case
                when message_error is not null then message_error
                when coalesce(size(row_image), 0) < 1 and word in ('INSERT', 'UPDATE', 'DELETE', 'ROW')
                    then concat('element ', image_index, ' of data is not a row')
                when {{ has_repeated_column('row_image') }} or {{ has_repeated_column('changed_values') }}
                    then concat('a column name stands twice in row ', image_index)
            end as row_error
        from row_images

    ),

    completed as (

        select
            *,
            case
                -- a repeated column would stop the statement here
                when row_error is null and changed_values is not null
                    then {{ overlaid('row_image', 'changed_values') }}
                when word = 'DELETE' then row_image
            end as old_image,
            case when word <> 'DELETE' then row_image end as new_image
        from checked

    ),

    keyed as (

        select
            *,
            {{ key_values('key_names', 'coalesce(new_image, old_image)') }} as key_of_row,
            case when word = 'UPDATE' then {{ key_values('key_names', 'old_image') }} end as key_before,
            -- nothing but a change of a row has a key
            case when row_error is null and row_image is not null then key_names end as keys_of_row
        from completed

    ),

    operations as (

        select
            *,
            case
                when row_error is not null then 'unknown'
                when value is null then 'tombstone'
                when word = 'TRUNCATE' or is_truncate_by_text then 'truncate'
                when word in ('XACOMMIT', 'XAROLLBACK') then 'transaction_end'
                when is_ddl or word in ('CREATE', 'ALTER', 'ERASE', 'RENAME', 'CINDEX', 'DINDEX')
                    then 'schema_change'
                when word in ('QUERY', 'GTID') then 'ignored'
                when word = 'INSERT' then 'insert'
                when word = 'UPDATE' then 'update'
                when word = 'DELETE' then 'delete'
                when word = 'ROW' then 'snapshot'
            end as whole_operation
        from keyed

    ),

    halves as (

        select
            operations.*,
            half
        from operations
            lateral view explode({{ halves_of_change('whole_operation', 'key_before', 'key_of_row') }}) as half

    ),

    canonical as (

        select
            feed,
            topic,
            topic_generation,
            partition,
            offset,
            2 * image_index + if(half = 'upsert', 1, 0) as row_index,
            timestamp as message_timestamp,
            load_id,
            bronze_version,
            1 as parser_version,
            if(half = 'whole', whole_operation, half) as operation,
            {{ unmarked('message.type') }} as source_operation,
            {{ unknown_error('row_error', 'foreign_text', 'canal_json_cloudcanal') }} as error,
            case when message is not null then 'mysql' end as source_type,
            cast(null as string) as catalog_name,
            nullif(message.database, '') as database_name,
            cast(null as string) as schema_name,
            changed_table as table_name,
            keys_of_row as key_columns,
            case when row_error is null then if(half = 'delete', key_before, key_of_row) end as row_key,
            case when half = 'upsert' then key_before end as previous_row_key,
            case when row_error is null and half <> 'upsert' then old_image end as before_image,
            case when row_error is null and half <> 'delete' then new_image end as after_image,
            row_error is null and half <> 'upsert' and old_image is not null as is_before_complete,
            row_error is null and half <> 'delete' and new_image is not null
            and (word <> 'UPDATE' or size(message.old) > 0) as is_after_complete,
            cast(array() as array<string>) as before_unavailable,
            cast(array() as array<string>) as after_unavailable,
            md5(type_text) as schema_id,
            type_text as schema_text,
            {{ epoch_millis('message.es') }} as changed_at,
            {{ epoch_millis('message.ts') }} as captured_at,
            nullif(message.gtid, '') as transaction_id,
            named_struct(
                'phase', if(whole_operation = 'snapshot', 0, 1),
                'position', cast(array() as array<decimal(38, 0)>),
                'offset', offset,
                'row_index', 2 * image_index + if(half = 'upsert', 1, 0)
            ) as change_sequence,
            'offset' as order_scope,
            cast(null as string) as position_space,
            if(whole_operation = 'snapshot', message.type, null) as snapshot_mark,
            case when whole_operation in ('schema_change', 'truncate') then message.sql end as ddl,
            case
                when whole_operation = 'truncate' then 'truncate'
                when whole_operation = 'schema_change'
                    then coalesce({{ ddl_kind_of_word('word') }}, {{ ddl_kind('message.sql') }})
            end as ddl_kind
        from halves

    )

    select * from canonical
{%- endmacro %}
