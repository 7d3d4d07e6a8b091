{#- What TiCDC's formats share with each other, and its Debezium format with Flink's. -#}

{#- The number of a commit as a position; empty where there is none, or 0. A commit writes a key once: where it deletes and
    inserts one, as the halves of an UPDATE that TiCDC splits, the row exists afterwards: the formats order deletes first. -#}
{% macro _ticdc_position(commit) -%}
    case
        when {{ commit }} rlike '^[0-9]{1,20}$' and cast({{ commit }} as decimal(38, 0)) > 0
            then array(cast({{ commit }} as decimal(38, 0)))
        else cast(array() as array<decimal(38, 0)>)
    end
{%- endmacro %}


{#- The tools that write Debezium's envelope but are not Debezium: one row per record, whole images, the key in the Kafka key. A format
    chains these fragments, and writes what is its own as a CTE between them:

    _keyed_messages             from bronze to `imaged`: envelope, message, op, the decoded key as `key_message`, images, `block_text`
    read_statements             from such a relation to `read_statements`: what its statement says
    (the format's own)          `named`: what the message does, and to which table
    _keyed_parsed_rows          from `named` to `parsed_rows`, for to_change_contract

    Columns of `named`, with all of `read_statements`:

    message_operation           by the contract; NULL for an op that is not known
    own_error                   why a message of a known operation is not read; NULL where there is nothing
    source_operation, source_type, schema_block
    changed_database, changed_table, ddl, kind_of_ddl
    key_image                   the Kafka key by its columns
    missing_before, missing_after
                                the columns of the images whose value the tool did not have
    changed_at, captured_at, position, order_scope -#}

{#- `fields` are those of the message, by their types. -#}
{% macro _keyed_messages(messages, fields) -%}
    {{ cdc.marked_messages_and_keys(messages) }},

    parsed as (

        select
            *,
            {{ cdc.decode_object('exact_text', cdc.envelope_fields(fields)) }} as marked_object,
            {{ cdc.decode_key('exact_key') }} as key_message
        from marked

    ),

    {{ cdc._images_of_envelope(fields) }}
{%- endmacro %}


{#- `format` is the declared one, for errors. -#}
{% macro _keyed_parsed_rows(named, format) -%}
    sent as (

        select
            * except (key_image),
            case when {{ cdc.can_be_key('key_image') }} then key_image end as key_image,
            -- an image without any column is none
            if(cardinality(row_before) > 0, row_before, null) as sent_before,
            if(cardinality(row_after) > 0, row_after, null) as sent_after,
            feed_key_columns[concat_ws('.', changed_database, changed_table)] as feed_keys
        from {{ named }}

    ),

    row_images as (

        select
            *,
            coalesce(message_operation in ('insert', 'update', 'delete'), false) as is_row_change,
            case
                when message_operation in ('update', 'delete') then {{ cdc.without_columns('sent_before', 'missing_before') }}
            end as old_image,
            case
                when message_operation in ('insert', 'update')
                    -- where the feed names the key, the Kafka key may be of other names
                    then {{ cdc.with_key_columns(
                        cdc.without_columns('sent_after', 'missing_after'), 'sent_after', 'feed_keys is not null'
                    ) }}
            end as new_image
        from sent

    ),

    judged as (

        select
            *,
            case
                when load_error is not null then load_error
                when value is null and key_image is not null then null
                when value is null then {{ cdc.lost_delete_reason() }}
                when envelope is null then {{ cdc.undecodable_reason('value', 'text') }}
                when message_operation is null and op is null then 'op is missing'
                when message_operation is null then concat('op is not known: ', op)
                else coalesce(
                    own_error,
                    case
                        when message_operation in ('schema_change', 'truncate')
                            then {{ cdc.statement_of_table_error(
                                'kind_of_ddl', 'statement', 'ddl', 'changed_database, changed_table'
                            ) }}
                        when not is_row_change then null
                        when {{ cdc.has_repeated_column('old_image') }} or {{ cdc.has_repeated_column('new_image') }}
                            then 'a column name occurs twice in a row image'
                        when message_operation = 'delete' and old_image is null
                            then concat('op ', op, ' without a before image')
                        when message_operation <> 'delete' and new_image is null
                            then concat('op ', op, ' without an after image')
                        else {{ cdc.bare_number_reason(['changed_database', 'changed_table'], ['old_image', 'new_image']) }}
                    end
                )
            end as row_error
        from row_images

    ),

    operations as (

        select
            *,
            case
                when row_error is not null then 'unknown'
                when value is null then 'tombstone'
                else message_operation
            end as whole_operation,
            -- nothing but a change of a row has a key, and a record without a value, whose key is Kafka's whatever the feed names
            case
                when row_error is null and (is_row_change or value is null)
                    then coalesce(
                        if(value is null, null, feed_keys),
                        map_keys(key_image)
                    )
            end as key_names
        from judged

    ),

    keyed as (

        select
            *,
            {{ cdc.key_values_of_either('key_names', 'coalesce(new_image, old_image)', 'key_image') }} as key_of_row,
            case when whole_operation = 'update' then {{ cdc.key_values('key_names', 'old_image') }} end as key_before
        from operations

    ),

    parsed_rows as (

        select
            {{ cdc.record_columns() }},
            0 as image_index,
            whole_operation as operation,
            source_operation,
            {{ cdc.unknown_error('row_error', 'text', format) }} as error,
            source_type,
            cast(null as string) as catalog_name,
            changed_database as database_name,
            cast(null as string) as schema_name,
            changed_table as table_name,
            key_names as key_columns,
            key_of_row as row_key,
            key_before,
            old_image as before_image,
            new_image as after_image,
            old_image is not null and cardinality(missing_before) = 0 as is_before_complete,
            new_image is not null and cardinality(missing_after) = 0 as is_after_complete,
            case when old_image is not null then missing_before end as before_unavailable,
            case when new_image is not null then missing_after end as after_unavailable,
            schema_block as schema_text,
            changed_at,
            captured_at,
            cast(null as string) as transaction_id,
            1 as phase,
            position,
            order_scope,
            cast(null as string) as position_space,
            cast(null as string) as snapshot_mark,
            ddl,
            if(whole_operation = 'truncate', 'truncate', kind_of_ddl) as ddl_kind
        from keyed

    )
{%- endmacro %}


{#- The time in the number of a commit: its upper bits count milliseconds since 1970. -#}
{% macro _ticdc_commit_time(commit) -%}
    case
        when {{ commit }} rlike '^[0-9]{1,20}$'
            then timestamp_millis(shiftright(nullif(try_cast({{ commit }} as bigint), 0), 18))
    end
{%- endmacro %}
