{#- Changes of all three formats: they differ in how the message is written and in what it says of types. A format chains these
    fragments, and writes what is its own as CTEs around them:

    (the format's own)          `texts`: bronze with the message as JSON in `text`
    _drs_messages               from `texts` to `decoded`: the message
    (the format's own)          `described`: source_type and type_text; undecodable_error, why there is no message where it is not
                                the text that says so; foreign_text, a text that may be another format's
    _drs_parsed_rows            from `described` to `parsed_rows`, for to_change_contract -#}

{% macro _drs_messages(texts) -%}
    parsed as (

        select
            *,
            {{ cdc.decode_object('text', '''
                data array<map<string, string>>, old array<map<string, string>>,
                database string, `schema` string, `table` string, type string, isDdl string, es string, ts string,
                sql string, pkNames array<string>, mysqlType string''') }} as marked_object
        from {{ texts }}

    ),

    decoded as (

        select
            *,
            {{ cdc.decoded_object('marked_object') }} as message
        from parsed

    )
{%- endmacro %}


{#- The row of a DELETE is read from whichever list has it. `format` is the declared one, for errors. -#}
{% macro _drs_parsed_rows(described, format) -%}
    named as (

        select
            *,
            upper(message.type) as word,
            coalesce(lower(message.isDdl) = 'true', false) or upper(message.type) in ('DDL', 'INIT_DDL') as is_ddl,
            nullif(message.database, '') as changed_database,
            -- a table in the documents ends in a blank, which no table of MySQL can
            nullif(rtrim(message.table), '') as changed_table,
            case
                when upper(message.type) = 'DELETE' and coalesce(size(message.data), 0) < 1
                    then message.old
                else message.data
            end as row_images,
            coalesce(
                feed_key_columns[concat_ws('.', nullif(message.database, ''), rtrim(message.table))],
                case when size(message.pkNames) > 0 then message.pkNames end
            ) as key_names
        from {{ described }}

    ),

    read_statements as (

        select
            *,
            case when is_ddl then {{ cdc.read_statement('message.sql') }} end as statement
        from named

    ),

    judged as (

        select
            *,
            case
                when load_error is not null then load_error
                when value is null then {{ cdc.lost_delete_reason() }}
                when message is null then coalesce(undecodable_error, {{ cdc.undecodable_reason('value', 'text') }})
                when word is null then 'type is missing'
                when message.schema <> ''
                    then concat('the message names a schema, as no source does that this format reads: ', message.schema)
                when lower(message.isDdl) not in ('true', 'false')
                    then concat('isDdl is neither true nor false: ', message.isDdl)
                when message.es is not null and try_cast(message.es as bigint) is null
                    then concat('es is not a whole number: ', message.es)
                when message.ts is not null and try_cast(message.ts as bigint) is null
                    then concat('ts is not a whole number: ', message.ts)
                when is_ddl and word in ('INSERT', 'UPDATE', 'DELETE', 'INIT')
                    then concat('isDdl is true, but type is ', message.type)
                when is_ddl and statement.kind = 'truncate' and changed_table is null then 'table is missing'
                when is_ddl
                    then {{ cdc.statement_error(
                        'statement.kind', 'statement', 'message.sql', 'changed_database, changed_table'
                    ) }}
                when word not in ('INSERT', 'UPDATE', 'DELETE', 'INIT')
                    then concat('type is not known: ', message.type)
                when changed_table is null then 'table is missing'
                when coalesce(size(row_images), 0) < 1 and word = 'DELETE'
                    then 'neither data nor old is a list with a row'
                when coalesce(size(row_images), 0) < 1
                    then 'data is missing, empty, or not a list of rows'
            end as message_error
        from read_statements

    ),

    row_images as (

        select
            judged.*,
            coalesce(image_index, 0) as image_index,
            case when message_error is null then row_image end as row_image,
            case
                when word = 'UPDATE' and size(message.old) = size(message.data) and size(message.old[image_index]) > 0
                    then message.old[image_index]
            end as row_before
        from judged
            lateral view outer posexplode(
                case when message_error is null and not is_ddl then row_images end
            ) as image_index, row_image

    ),

    checked as (

        select
            *,
            case
                when message_error is not null then message_error
                when coalesce(size(row_image), 0) < 1 and not is_ddl
                    then concat('row ', image_index, ' is no object with columns')
                when {{ cdc.has_repeated_column('row_image') }} or {{ cdc.has_repeated_column('row_before') }}
                    then concat('a column name occurs twice in row ', image_index)
                else {{ cdc.bare_number_reason(['changed_database', 'changed_table'], ['row_image', 'row_before']) }}
            end as row_error
        from row_images

    ),

    completed as (

        select
            *,
            if(word = 'DELETE', row_image, row_before) as old_image,
            case when word <> 'DELETE' then row_image end as new_image
        from checked

    ),

    keyed as (

        select
            *,
            {{ cdc.key_values('key_names', 'coalesce(new_image, old_image)') }} as key_of_row,
            case
                when row_before is not null
                    then {{ cdc.key_values_of_either('key_names', 'row_before', 'new_image') }}
            end as key_before,
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
                when is_ddl and statement.kind = 'truncate' then 'truncate'
                when is_ddl then 'schema_change'
                when word = 'INSERT' then 'insert'
                when word = 'UPDATE' then 'update'
                when word = 'DELETE' then 'delete'
                when word = 'INIT' then 'snapshot'
            end as whole_operation,
            -- DDL of the full load, or its DROP TABLE would remove the rows that follow it
            row_error is null and coalesce(word in ('INIT', 'INIT_DDL'), false) as is_full_load
        from keyed

    ),

    parsed_rows as (

        select
            {{ cdc.record_columns() }},
            image_index,
            whole_operation as operation,
            message.type as source_operation,
            {{ cdc.unknown_error('row_error', 'foreign_text', format) }} as error,
            source_type,
            cast(null as string) as catalog_name,
            changed_database as database_name,
            cast(null as string) as schema_name,
            changed_table as table_name,
            keys_of_row as key_columns,
            key_of_row as row_key,
            key_before,
            old_image as before_image,
            new_image as after_image,
            -- a column that only the new row names may have been NULL and left out, or not sent
            old_image is not null and size(array_except(map_keys(coalesce(new_image, old_image)), map_keys(old_image))) = 0
                as is_before_complete,
            new_image is not null and (word <> 'UPDATE' or message.old is not null) as is_after_complete,
            cast(null as array<string>) as before_unavailable,
            cast(null as array<string>) as after_unavailable,
            type_text as schema_text,
            {{ cdc.epoch_millis('message.es') }} as changed_at,
            {{ cdc.epoch_millis('message.ts') }} as captured_at,
            cast(null as string) as transaction_id,
            if(is_full_load, 0, 1) as phase,
            cast(array() as array<decimal(38, 0)>) as position,
            'offset' as order_scope,
            cast(null as string) as position_space,
            case when is_full_load then message.type end as snapshot_mark,
            message.sql as ddl,
            coalesce(statement.kind, 'other') as ddl_kind
        from operations

    )
{%- endmacro %}
