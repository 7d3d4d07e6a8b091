{#- Changes in SharePlex JSON: `meta` says what and where, `data` has the row, on `upd` only its changed columns,
    and `key` old values. The products differ in what `key` holds, in how they write a table and in how they count. A format chains these
    fragments, and writes what is its own as a CTE between them:

    _shareplex_messages         from bronze to `read_statements`: message, op, and what its statement says
    (the format's own)          `named`: which table it is, what `ins` means, and the position
    _shareplex_parsed_rows      from `named` to `parsed_rows`, for to_change_contract

    Columns of `named`, with all of `read_statements`:

    changed_catalog, changed_database, changed_schema, changed_table
    operation_of_ins            of a row that was inserted, by the contract
    may_rows_lack_table         may a row name no table?
    is_key_whole                does `key` of an update have all columns of the row?
    numbers                     the numbers that order, where the feed's sequences are enabled -#}

{% macro _shareplex_messages(messages) -%}
    {{ cdc.exact_messages(messages, '''
                meta struct<
                    op string, `table` string, `time` string, posttime string, scn string, seq string, trans string
                >,
                data map<string, string>, key map<string, string>, sql struct<ddl string>''') }},

    {{ cdc.read_statements('decoded', 'message.sql.ddl') }}
{%- endmacro %}


{#- `format` is the declared one, for errors. -#}
{% macro _shareplex_parsed_rows(named, format) -%}
    classified as (

        select
            *,
            {{ cdc.unmarked('message.meta.op') }} as op,
            case
                when lower(message.meta.op) in ('ins', 'insert') then operation_of_ins
                when lower(message.meta.op) in ('upd', 'update') then 'update'
                when lower(message.meta.op) in ('del', 'delete') then 'delete'
            end as row_operation,
            case lower(message.meta.op)
                when 'truncate' then 'truncate'
                when 'ddl' then coalesce(statement.kind, 'other')
            end as kind_of_ddl,
            {{ cdc.exact_numbers('message.data', 'exact_text') }} as sent_data,
            {{ cdc.exact_numbers('message.key', 'exact_text') }} as sent_key
        from {{ named }}

    ),

    judged as (

        select
            *,
            case
                when load_error is not null then load_error
                when value is null then {{ cdc.lost_delete_reason() }}
                when message is null then {{ cdc.undecodable_reason('value', 'text') }}
                when op is null then 'meta.op is missing'
                when row_operation is null and kind_of_ddl is null then concat('meta.op is not known: ', op)
                when message.meta.time is not null and try_cast(message.meta.time as timestamp_ntz) is null
                    then concat('meta.time is no date with a time: ', {{ cdc.unmarked('message.meta.time') }})
                when message.meta.posttime is not null and try_cast(message.meta.posttime as timestamp_ntz) is null
                    then concat('meta.posttime is no date with a time: ', {{ cdc.unmarked('message.meta.posttime') }})
                when lower(op) = 'ddl' and coalesce(trim(message.sql.ddl), '') = '' then 'op ddl without sql.ddl'
                when changed_table is null and coalesce(kind_of_ddl in ('truncate', 'drop'), not may_rows_lack_table)
                    then 'meta.table is missing'
                when kind_of_ddl is not null
                    then {{ cdc.statement_error(
                        'kind_of_ddl', 'statement', 'message.sql.ddl',
                        'changed_catalog, changed_database, changed_schema, changed_table'
                    ) }}
                when {{ cdc.has_repeated_column('sent_data') }} or {{ cdc.has_repeated_column('sent_key') }}
                    then 'a column name occurs twice in data or key'
                when row_operation = 'update' and coalesce(cardinality(sent_key), 0) < 1
                    then concat('op ', op, ' without key')
                -- NULLs may have been left out of it, unless `key` has the whole row
                when sent_data is null or cardinality(sent_data) = 0 and not (row_operation = 'update' and is_key_whole)
                    then concat('op ', op, ' without data')
                else {{ cdc.bare_number_reason(['changed_database', 'changed_schema', 'changed_table'], ['sent_data', 'sent_key']) }}
            end as row_error
        from classified

    ),

    operations as (

        select
            *,
            case
                when row_error is not null then 'unknown'
                when value is null then 'tombstone'
                when kind_of_ddl = 'truncate' then 'truncate'
                when kind_of_ddl is not null then 'schema_change'
                else row_operation
            end as whole_operation
        from judged

    ),

    imaged as (

        select
            *,
            case whole_operation
                when 'update' then sent_key
                when 'delete' then sent_data
            end as old_image,
            case
                when whole_operation = 'update' then {{ cdc.overlaid('sent_key', 'sent_data') }}
                when whole_operation in ('insert', 'snapshot') then sent_data
            end as new_image,
            -- no message names its key columns: those in `key` may be all columns
            case
                when whole_operation in ('insert', 'snapshot', 'update', 'delete')
                    then feed_key_columns[concat_ws('.', changed_database, changed_schema, changed_table)]
            end as key_names
        from operations

    ),

    keyed as (

        select
            *,
            {{ cdc.key_values('key_names', 'coalesce(new_image, old_image)') }} as key_of_row,
            {{ cdc.key_values('key_names', 'old_image') }} as key_before,
            whole_operation <> 'update' or is_key_whole as is_whole
        from imaged

    ),

    parsed_rows as (

        select
            {{ cdc.record_columns() }},
            0 as image_index,
            whole_operation as operation,
            op as source_operation,
            {{ cdc.unknown_error('row_error', 'text', format) }} as error,
            cast(null as string) as source_type,
            changed_catalog as catalog_name,
            changed_database as database_name,
            changed_schema as schema_name,
            changed_table as table_name,
            key_names as key_columns,
            key_of_row as row_key,
            key_before,
            old_image as before_image,
            new_image as after_image,
            old_image is not null and is_whole as is_before_complete,
            new_image is not null and is_whole as is_after_complete,
            cast(null as array<string>) as before_unavailable,
            cast(null as array<string>) as after_unavailable,
            cast(null as string) as schema_text,
            {{ cdc._shareplex_instant('message.meta.time') }} as changed_at,
            {{ cdc._shareplex_instant('message.meta.posttime') }} as captured_at,
            nullif(message.meta.trans, '') as transaction_id,
            if(whole_operation = 'snapshot', 0, 1) as phase,
            cast(
                case
                    when feed_settings['sequence'] = 'enabled' and message.meta.scn rlike '^[0-9]{1,38}$'
                        then numbers
                    else array()
                end as array<decimal(38, 0)>
            ) as position,
            if(feed_settings['sequence'] <=> 'enabled', 'position', 'offset') as order_scope,
            cast(null as string) as position_space,
            case when whole_operation = 'snapshot' then 'no scn' end as snapshot_mark,
            message.sql.ddl,
            kind_of_ddl as ddl_kind
        from keyed

    )
{%- endmacro %}


{#- An array of texts of digits, each as a number; 0 for one that is not there, or is something else. -#}
{% macro _shareplex_numbers(texts) -%}
    transform({{ texts }}, part -> if(part rlike '^[0-9]{1,38}$', cast(part as decimal(38, 0)), 0))
{%- endmacro %}


{#- A wall clock as an instant: its own zone, else the feed's; NULL without any. -#}
{% macro _shareplex_instant(text) -%}
    try_cast(
        if(
            {{ text }} rlike '[0-9](Z|[-+][0-9]{2}:?[0-9]{2})$' and {{ text }} like '%:%',
            {{ text }},
            concat({{ text }}, ' ', feed_settings['time_zone'])
        ) as timestamp
    )
{%- endmacro %}
