{#- Canal and what descends from it: one envelope, rows in `data`, and in `old` the rows or only the changed columns as
    they were, paired with `data` by index. A format chains these fragments, and writes what is its own as a CTE between them:

    _canal_messages or _canal_exact_messages    from bronze to `sent`: what the message says
    _canal_operations                           from such a relation to `operations`: what it does by Canal's rules
    (the format's own)                          the columns of `operations` for which it has other rules
    _canal_parsed_rows                          from such a relation to `parsed_rows`, for to_change_contract

    Columns of `operations` that a format may exchange:

    message_operation           by the contract; NULL for a word that is not known
    own_error                   why this format does not read a message that others would read; NULL where there is nothing
    rows_from, sent_rows        the list that has the rows, for errors, and the rows
    rows_before                 paired with them, the whole row or the changed columns before an update
    is_old_whole                is `old` of an update the whole row, of which it leaves out NULLs at most?
    may_be_minimal              may `old` of an update lack all but its key, and `data` what did not change?
    foreign_text                a text that may be another format's, or NULL
    source_type                 of a message that is read
    changed_at, captured_at, position, order_scope -#}

{#- The fields of the envelope; a format may add its own. -#}
{% macro _canal_fields() -%}
    data array<map<string, string>>, old array<map<string, string>>,
                database string, `table` string, type string, isDdl string, es string, ts string,
                gtid string, sql string, pkNames array<string>, mysqlType string
{%- endmacro %}


{#- The CTEs from the records to `sent`, which has what the message says: for producers that write no bare fraction. -#}
{% macro _canal_messages(messages, fields) -%}
    texts as (

        select
            *,
            {{ cdc.json_text('value') }} as text
        from {{ messages }}

    ),

    parsed as (

        select
            *,
            {{ cdc.decode_object('text', fields) }} as marked_object
        from texts

    ),

    decoded as (

        select
            *,
            {{ cdc.decoded_object('marked_object') }} as message
        from parsed

    ),

    sent as (

        select
            *,
            message.type as source_operation,
            message.isDdl as ddl_mark,
            message.es as event_text,
            message.ts as capture_text,
            message.database as sent_database,
            message.table as sent_table,
            message.mysqlType as type_text,
            message.data,
            message.old
        from decoded

    )
{%- endmacro %}


{#- The same for producers that may write bare fractions. -#}
{% macro _canal_exact_messages(messages, fields) -%}
    {{ cdc.exact_messages(messages, fields) }},

    sent as (

        select
            *,
            {{ cdc.unmarked('message.type') }} as source_operation,
            {{ cdc.unmarked('message.isDdl') }} as ddl_mark,
            {{ cdc.unmarked('message.es') }} as event_text,
            {{ cdc.unmarked('message.ts') }} as capture_text,
            message.database as sent_database,
            message.table as sent_table,
            {{ cdc.without_marks('message.mysqlType') }} as type_text,
            {{ cdc._canal_exact_rows('message.data') }} as data,
            {{ cdc._canal_exact_rows('message.old') }} as old
        from decoded

    )
{%- endmacro %}


{% macro _canal_exact_rows(rows) -%}
    transform({{ rows }}, sent_row -> {{ cdc.exact_numbers('sent_row', 'exact_text') }})
{%- endmacro %}


{#- What Canal's words mean. -#}
{% macro _canal_operation() -%}
    case
                when word = 'INSERT' then 'insert'
                when word = 'UPDATE' then 'update'
                when word = 'DELETE' then 'delete'
                when word = 'ROW' then 'snapshot'
                when word = 'TRUNCATE' or word = 'QUERY' and kind_of_ddl = 'truncate' then 'truncate'
                when word in ('XACOMMIT', 'XAROLLBACK') then 'transaction_end'
                when kind_of_ddl is not null then 'schema_change'
                when word in ('QUERY', 'GTID') then 'ignored'
            end
{%- endmacro %}


{#- The rows of a message: those of `data`, for a deletion those of `old` where `data` has no row. -#}
{% macro _canal_sent_rows() -%}
    case
                when word = 'DELETE' and not coalesce(size(data) > 1 or size(data[0]) > 0, false) then old
                else data
            end
{%- endmacro %}


{#- From `sent` to `operations`. -#}
{% macro _canal_operations(sent) -%}
    named as (

        select
            *,
            upper(source_operation) as word,
            lower(ddl_mark) = 'true' as is_ddl,
            nullif(sent_database, '') as changed_database,
            case when rtrim(sent_table) <> '' then rtrim(sent_table) end as changed_table,
            nullif(message.gtid, '') as transaction_id,
            message.sql as ddl_text,
            -- what is read here of the record and the message spares the rows below to carry them
            value is null as is_tombstone,
            case when message is null then {{ cdc.undecodable_reason('value', 'text') }} end as undecodable,
            case when size(message.pkNames) > 0 then message.pkNames end as sent_key_names
        from {{ sent }}

    ),

    {{ cdc.read_statements('named', 'ddl_text') }},

    worded as (

        select
            *,
            case
                when is_ddl or {{ cdc.ddl_kind_of_word('word') }} is not null
                    then {{ cdc.ddl_kind_of_word_or_text('word', 'statement') }}
            end as kind_of_ddl,
            coalesce(feed_key_columns[concat_ws('.', changed_database, changed_table)], sent_key_names) as key_names
        from read_statements

    ),

    operations as (

        select
            *,
            {{ cdc._canal_operation() }} as message_operation,
            cast(null as string) as own_error,
            'data' as rows_from,
            {{ cdc._canal_sent_rows() }} as sent_rows,
            case when word = 'UPDATE' and size(old) = size(data) then old end as rows_before,
            false as is_old_whole,
            false as may_be_minimal,
            -- no message of rows shows which format of Canal's descent it is
            case when not contains(text, '"isDdl":') then text end as foreign_text,
            case when undecodable is null then 'mysql' end as source_type,
            {{ cdc.epoch_millis('event_text') }} as changed_at,
            {{ cdc.epoch_millis('capture_text') }} as captured_at,
            cast(array() as array<decimal(38, 0)>) as position,
            'offset' as order_scope
        from worded

    )
{%- endmacro %}


{#- From `operations` to `parsed_rows`. `format` is the declared one, for errors. -#}
{% macro _canal_parsed_rows(operations, format) -%}
    classified as (

        select
            *,
            coalesce(message_operation in ('insert', 'update', 'delete', 'snapshot'), false) as is_row_change
        from {{ operations }}

    ),

    judged as (

        select
            *,
            case
                when load_error is not null then load_error
                when own_error is not null then own_error
                when is_tombstone then {{ cdc.lost_delete_reason() }}
                when undecodable is not null then undecodable
                when word is null then 'type is missing'
                when lower(ddl_mark) not in ('true', 'false')
                    then concat('isDdl is neither true nor false: ', ddl_mark)
                when event_text is not null and try_cast(event_text as bigint) is null
                    then concat('es is not a whole number: ', event_text)
                when capture_text is not null and try_cast(capture_text as bigint) is null
                    then concat('ts is not a whole number: ', capture_text)
                when is_ddl and is_row_change then concat('isDdl is true, but type is ', source_operation)
                when message_operation is null then concat('type is not known: ', source_operation)
                when (is_row_change or message_operation = 'truncate') and changed_table is null
                    then 'table is missing'
                when is_row_change and coalesce(size(sent_rows), 0) < 1 and ddl_text <> ''
                    then concat('a statement without row images (binlog_format is not ROW): ', ddl_text)
                when is_row_change and coalesce(size(sent_rows), 0) < 1
                    then concat(rows_from, ' is missing, empty, or not a list of rows')
            end as message_error
        from classified

    ),

    row_images as (

        select
            judged.*,
            coalesce(image_index, 0) as image_index,
            row_image,
            -- an empty row shows nothing of the row before
            if(size(rows_before[image_index]) > 0, rows_before[image_index], null) as values_before
        from judged
            lateral view outer posexplode(
                case when message_error is null and is_row_change then sent_rows end
            ) as image_index, row_image

    ),

    compared as (

        select
            *,
            coalesce(
                word = 'UPDATE'
                and if(may_be_minimal, {{ cdc.may_lack_columns('values_before') }}, values_before is null),
                false
            )
            -- an update whose row lacks a column of its key lacks columns, whatever its values before look like
            or coalesce(message_operation = 'update' and {{ cdc.lacks_key_column('row_image') }}, false) as is_partial
        from row_images

    ),

    keyed as (

        select
            *,
            case
                when message_error is not null then message_error
                when message_operation in ('schema_change', 'truncate')
                    then {{ cdc.statement_error(
                        "if(message_operation = 'truncate', 'truncate', kind_of_ddl)",
                        'statement',
                        'ddl_text',
                        'changed_database, changed_table'
                    ) }}
                when is_row_change and coalesce(size(row_image), 0) < 1
                    then concat('element ', image_index, ' of ', rows_from, ' is not a row')
                when {{ cdc.has_repeated_column('row_image') }} or {{ cdc.has_repeated_column('values_before') }}
                    then concat('a column name occurs twice in row ', image_index)
                when is_partial and {{ cdc.key_values_of_either('key_names', 'row_image', 'values_before') }} is null
                    then {{ cdc.update_of_no_row() }}
                else {{ cdc.bare_number_reason(['changed_database', 'changed_table'], ['row_image', 'values_before']) }}
            end as row_error,
            -- where the message is understood, its rows are no other format's
            case when message_error is not null then {{ cdc.similar_formats('foreign_text', format) }} end as similar_formats,
            case
                when message_operation = 'delete' then row_image
                when is_partial then {{ cdc.known_before('key_names', 'row_image', 'values_before') }}
                -- the row that goes with its old key is known as a whole
                when message_operation = 'update' and not is_old_whole and {{ cdc.moves_key('key_names', 'values_before', 'row_image') }}
                    then {{ cdc.overlaid('row_image', 'values_before') }}
                else values_before
            end as old_image,
            {{ cdc.key_values_of_either('key_names', 'row_image', 'values_before') }} as key_of_row,
            case
                when message_operation = 'update' and arrays_overlap(map_keys(values_before), key_names)
                    then {{ cdc.key_values_of_either('key_names', 'values_before', 'row_image') }}
            end as key_before
        from compared

    ),

    parsed_rows as (

        select
            {{ cdc.record_columns() }},
            image_index,
            case
                when row_error is not null then 'unknown'
                when is_tombstone then 'tombstone'
                else message_operation
            end as operation,
            source_operation,
            {{ cdc.error_with_formats('row_error', 'similar_formats') }} as error,
            source_type,
            cast(null as string) as catalog_name,
            changed_database as database_name,
            cast(null as string) as schema_name,
            changed_table as table_name,
            -- nothing but a change of a row has a key
            case when row_error is null and row_image is not null then key_names end as key_columns,
            key_of_row as row_key,
            key_before,
            old_image as before_image,
            case when message_operation <> 'delete' then row_image end as after_image,
            not is_partial and old_image is not null as is_before_complete,
            message_operation <> 'delete' and row_image is not null and not is_partial as is_after_complete,
            cast(null as array<string>) as before_unavailable,
            cast(null as array<string>) as after_unavailable,
            type_text as schema_text,
            changed_at,
            captured_at,
            transaction_id,
            if(message_operation = 'snapshot' and row_error is null, 0, 1) as phase,
            position,
            order_scope,
            cast(null as string) as position_space,
            case when message_operation = 'snapshot' and row_error is null then source_operation end as snapshot_mark,
            ddl_text as ddl,
            if(message_operation = 'truncate', 'truncate', kind_of_ddl) as ddl_kind
        from keyed

    )
{%- endmacro %}
