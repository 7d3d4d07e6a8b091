{#- Maxwell and its imitation by TiCDC: one object carries one row in `data`, or a statement; an update also carries
    `old`, the prior values of the changed columns. A format chains these fragments, and writes what is its own as CTEs between them:

    _maxwell_messages           from bronze to `read_statements`: what the message says
    (the format's own)          `placed`: what the message does, its row, its key and its place
    _maxwell_parsed_rows        from `placed` to `parsed_rows`, for to_change_contract

    Columns of `placed`, with all of `read_statements`:

    image_index                 the row's index in its record
    message_operation           by the contract; NULL for a type that is not known
    row_image                   the row of the message, with exact numbers
    carried_key                 the key columns that the message names; NULL where it names none
    may_be_minimal              may an update lack columns that did not change?
    foreign_text                a text that may be another format's, or NULL
    source_type                 of a message that is read
    changed_at, captured_at, position, position_space, order_scope -#}

{% macro _maxwell_messages(messages) -%}
    {{ cdc.exact_messages(messages, '''
                type string, database string, `table` string, data map<string, string>, old map<string, string>,
                ts string, xid string, xoffset string, commit string, position string, server_id string,
                primary_key_columns array<string>, sql string, def string''') }},

    {{ cdc.read_statements('decoded', 'message.sql') }}
{%- endmacro %}


{#- `format` is the declared one, for errors. -#}
{% macro _maxwell_parsed_rows(placed, format) -%}
    named as (

        select
            *,
            nullif(message.database, '') as changed_database,
            nullif(message.table, '') as changed_table,
            case when message.type = 'update' then {{ cdc.exact_numbers('message.old', 'exact_text') }} end
                as changed_values,
            {{ cdc.without_marks('message.def') }} as type_text,
            case
                when message_operation in ('insert', 'update', 'delete', 'snapshot')
                    then coalesce(
                        feed_key_columns[concat_ws('.', nullif(message.database, ''), nullif(message.table, ''))],
                        carried_key
                    )
            end as key_names
        from {{ placed }}

    ),

    compared as (

        select
            *,
            message_operation = 'update' and may_be_minimal and {{ cdc.may_lack_columns('changed_values') }} as is_partial
        from named

    ),

    judged as (

        select
            *,
            case
                when load_error is not null then load_error
                when value is null then {{ cdc.lost_delete_reason() }}
                when message is null then {{ cdc.undecodable_reason('value', 'text') }}
                when message.type is null then 'type is missing'
                when message_operation is null then concat('type is not known: ', {{ cdc.unmarked('message.type') }})
                when message.ts is not null and try_cast(message.ts as bigint) is null
                    then concat('ts is not a whole number: ', {{ cdc.unmarked('message.ts') }})
                when changed_table is null and not startswith(message.type, 'database-') then 'table is missing'
                when message_operation in ('schema_change', 'truncate')
                    then {{ cdc.statement_of_table_error(
                        cdc._maxwell_ddl_kind(), 'statement', 'message.sql', 'changed_database, changed_table'
                    ) }}
                when message_operation not in ('insert', 'update', 'delete', 'snapshot') then null
                when coalesce(size(row_image), 0) < 1
                    then 'the row is missing, has no columns, or is not an object'
                when {{ cdc.has_repeated_column('row_image') }} or {{ cdc.has_repeated_column('changed_values') }}
                    then 'a column name occurs twice in the row'
                when is_partial and {{ cdc.key_values('key_names', 'row_image') }} is null
                    then {{ cdc.update_of_no_row() }}
                else {{ cdc.bare_number_reason(['changed_database', 'changed_table'], ['row_image', 'changed_values']) }}
            end as row_error
        from compared

    ),

    operations as (

        select
            *,
            case
                when row_error is not null then 'unknown'
                when value is null then 'tombstone'
                else message_operation
            end as whole_operation,
            row_error is null and coalesce(message_operation in ('insert', 'update', 'delete', 'snapshot'), false)
                as is_row_change
        from judged

    ),

    completed as (

        select
            *,
            case
                when whole_operation = 'delete' then row_image
                when whole_operation <> 'update' then null
                -- a column that `old` leaves out kept its value or was NULL
                when feed_settings['output_nulls'] = 'dropped'
                    then if(cardinality(changed_values) > 0, changed_values, null)
                when cardinality(changed_values) > 0 and is_partial
                    then {{ cdc.known_before('key_names', 'row_image', 'changed_values') }}
                when not is_partial then changed_values
            end as old_image,
            case when is_row_change and whole_operation <> 'delete' then row_image end as new_image,
            case when is_row_change then key_names end as keys_of_row
        from operations

    ),

    keyed as (

        select
            *,
            {{ cdc.key_values('keys_of_row', 'coalesce(new_image, old_image)') }} as key_of_row,
            case
                when arrays_overlap(map_keys(changed_values), keys_of_row)
                    then {{ cdc.key_values_of_either('keys_of_row', 'changed_values', 'new_image') }}
            end as key_before,
            old_image is not null
            and if(
                whole_operation = 'delete',
                {{ cdc.has_more_than_key('old_image') }},
                not is_partial and not feed_settings['output_nulls'] <=> 'dropped'
            ) as is_old_complete
        from completed

    ),

    parsed_rows as (

        select
            {{ cdc.record_columns() }},
            image_index,
            whole_operation as operation,
            {{ cdc.unmarked('message.type') }} as source_operation,
            {{ cdc.unknown_error('row_error', 'foreign_text', format) }} as error,
            source_type,
            cast(null as string) as catalog_name,
            changed_database as database_name,
            cast(null as string) as schema_name,
            changed_table as table_name,
            keys_of_row as key_columns,
            key_of_row as row_key,
            key_before,
            -- the row that goes with its old key is known as a whole
            case
                when whole_operation = 'update' and key_before <> key_of_row and is_old_complete
                    then {{ cdc.overlaid('new_image', 'old_image') }}
                else old_image
            end as before_image,
            new_image as after_image,
            is_old_complete as is_before_complete,
            new_image is not null and not is_partial as is_after_complete,
            cast(null as array<string>) as before_unavailable,
            cast(null as array<string>) as after_unavailable,
            type_text as schema_text,
            changed_at,
            captured_at,
            {{ cdc.unmarked('message.xid') }} as transaction_id,
            1 as phase,
            position,
            order_scope,
            position_space,
            case when row_error is null and startswith(message.type, 'bootstrap-') then message.type end as snapshot_mark,
            message.sql as ddl,
            {{ cdc._maxwell_ddl_kind() }} as ddl_kind
        from keyed

    )
{%- endmacro %}


{#- What a message does, by its type; NULL for a type that is not known. -#}
{% macro _maxwell_operation() -%}
    case
                when message.type in ('insert', 'update', 'delete') then message.type
                when message.type in (
                    'table-create', 'table-alter', 'table-drop', 'database-create', 'database-alter', 'database-drop'
                )
                    then if(statement.kind = 'truncate', 'truncate', 'schema_change')
            end
{%- endmacro %}


{#- A TRUNCATE or RENAME is a table-alter, CREATE OR REPLACE TABLE is a table-create, and any DROP TABLE is a table-drop. -#}
{% macro _maxwell_ddl_kind() -%}
    case
                when statement.is_temporary then 'other'
                when statement.kind in ('truncate', 'rename', 'drop') then statement.kind
                else substring_index(message.type, '-', -1)
            end
{%- endmacro %}


{#- The time of a row: whole seconds since 1970. -#}
{% macro _maxwell_row_time() -%}
    case
                when message_operation in ('insert', 'update', 'delete')
                    then {{ cdc.epoch_seconds('message.ts') }}
            end
{%- endmacro %}
