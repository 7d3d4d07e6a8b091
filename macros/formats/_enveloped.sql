{#- The tools that write Debezium's envelope but are not Debezium: one row per record, whole images, the key from the feed. A format
    chains these fragments, and writes what is its own as a CTE between them:

    _enveloped_messages         from bronze to `imaged`: envelope, message, op, images, and the type block as `block_text`
    read_statements             from such a relation to `read_statements`: what its statement says
    (the format's own)          `named`: what the message does, and to which table
    _enveloped_parsed_rows      from `named` to `parsed_rows`, for to_change_contract

    Columns of `named`, with all of `read_statements`:

    message_operation           by the contract; NULL for an op that is not known
    source_operation, schema_block, ddl
    changed_catalog, changed_database, changed_schema, changed_table
    kind_of_ddl
    changed_at, captured_at, transaction_id
    position, position_space    what orders the changes
    numbers_apart               what only distinguishes rows of one position, for tables without a key -#}

{#- `fields` are those of the message, by their types. -#}
{% macro _enveloped_messages(messages, fields) -%}
    {{ cdc.marked_messages(messages) }},

    parsed as (

        select
            *,
            {{ cdc.decode_object('exact_text', cdc.envelope_fields(fields)) }} as marked_object
        from marked

    ),

    {{ cdc._images_of_envelope(fields) }}
{%- endmacro %}


{#- From `parsed` to `imaged`: the envelope, its `message`, `op` and images, and the type block. -#}
{% macro _images_of_envelope(fields) -%}
    enveloped as (

        select
            *,
            {{ cdc.decoded_object('marked_object') }} as envelope
        from parsed

    ),

    decoded as (

        select
            *,
            {{ cdc.without_marks('envelope.schema') }} as block_text,
            {{ cdc.message_of_envelope('envelope', fields) }} as message
        from enveloped

    ),

    imaged as (

        select
            *,
            {{ cdc.unmarked('message.op') }} as op,
            {{ cdc.exact_numbers('message.before', 'exact_text') }} as row_before,
            {{ cdc.exact_numbers('message.after', 'exact_text') }} as row_after
        from decoded

    )
{%- endmacro %}


{#- `format` is the declared one, for errors. -#}
{% macro _enveloped_parsed_rows(named, format) -%}
    sent as (

        select
            *,
            -- an image without any column is none
            if(cardinality(row_before) > 0, row_before, null) as sent_before,
            if(cardinality(row_after) > 0, row_after, null) as sent_after
        from {{ named }}

    ),

    judged as (

        select
            *,
            case
                when load_error is not null then load_error
                when value is null then {{ cdc.lost_delete_reason() }}
                when envelope is null then {{ cdc.undecodable_reason('value', 'text') }}
                when message_operation is null and op is null then 'op is missing'
                when message_operation is null then concat('op is not known: ', op)
                when message.ts_ms is not null and try_cast(message.ts_ms as bigint) is null
                    then concat('ts_ms is not a whole number: ', {{ cdc.unmarked('message.ts_ms') }})
                when message.source.ts_ms is not null and try_cast(message.source.ts_ms as bigint) is null
                    then concat('source.ts_ms is not a whole number: ', {{ cdc.unmarked('message.source.ts_ms') }})
                when message_operation = 'heartbeat' then null
                when message_operation = 'schema_change' and kind_of_ddl is null then {{ cdc.no_schema_change_reason() }}
                when message_operation = 'schema_change' then {{ cdc._enveloped_statement_error() }}
                when message.source is null then 'source is missing or not an object'
                when changed_table is null then 'source.table is missing'
                when message_operation = 'truncate' then {{ cdc._enveloped_statement_error() }}
                when {{ cdc.has_repeated_column('sent_before') }} or {{ cdc.has_repeated_column('sent_after') }}
                    then 'a column name occurs twice in a row image'
                when message_operation = 'delete' and sent_before is null
                    then concat('op ', op, ' without a before image')
                when message_operation <> 'delete' and sent_after is null
                    then concat('op ', op, ' without an after image')
                else {{ cdc.bare_number_reason(['changed_database', 'changed_schema', 'changed_table'], ['sent_before', 'sent_after']) }}
            end as row_error
        from sent

    ),

    operations as (

        select
            *,
            case
                when row_error is not null then 'unknown'
                when value is null then 'tombstone'
                else message_operation
            end as whole_operation,
            case when message_operation in ('update', 'delete') then sent_before end as old_image,
            case when message_operation in ('insert', 'update', 'snapshot') then sent_after end as new_image,
            -- nothing but a change of a row has a key
            case
                when row_error is null and message_operation in ('insert', 'update', 'delete', 'snapshot')
                    then feed_key_columns[concat_ws('.', changed_database, changed_schema, changed_table)]
            end as key_names
        from judged

    ),

    keyed as (

        select
            *,
            {{ cdc.key_values('key_names', 'coalesce(new_image, old_image)') }} as key_of_row,
            case when whole_operation = 'update' then {{ cdc.key_values('key_names', 'old_image') }} end as key_before,
            -- two whole rows of one table have the same columns
            coalesce(array_sort(map_keys(old_image)) = array_sort(map_keys(new_image)), whole_operation <> 'update')
                as is_whole_row
        from operations

    ),

    placed as (

        select
            keyed.*,
            {{ cdc.place_of_statement('name_in_text', 'changed_database', 'changed_schema', 'changed_table') }} as place,
            coalesce(table_index, 0) as image_index
        from keyed
            lateral view outer posexplode(
                {{ cdc.tables_of_statement('kind_of_ddl', 'statement', 'row_error') }}
            ) as table_index, name_in_text

    ),

    parsed_rows as (

        select
            {{ cdc.record_columns() }},
            image_index,
            whole_operation as operation,
            source_operation,
            {{ cdc.unknown_error('row_error', 'text', format) }} as error,
            lower(nullif(message.source.connector, '')) as source_type,
            changed_catalog as catalog_name,
            place.database_name,
            place.schema_name,
            place.table_name,
            key_names as key_columns,
            key_of_row as row_key,
            key_before,
            old_image as before_image,
            new_image as after_image,
            old_image is not null and is_whole_row as is_before_complete,
            new_image is not null and is_whole_row as is_after_complete,
            cast(null as array<string>) as before_unavailable,
            cast(null as array<string>) as after_unavailable,
            schema_block as schema_text,
            changed_at,
            captured_at,
            transaction_id,
            if(whole_operation = 'snapshot', 0, 1) as phase,
            {{ cdc.distinct_position('position', 'numbers_apart') }} as position,
            'position' as order_scope,
            position_space,
            case when whole_operation = 'snapshot' then op end as snapshot_mark,
            ddl,
            if(whole_operation = 'truncate', 'truncate', kind_of_ddl) as ddl_kind
        from placed

    )
{%- endmacro %}


{% macro _enveloped_statement_error() -%}
    {{ cdc.statement_of_table_error(
        'kind_of_ddl', 'statement', 'ddl', 'changed_catalog, changed_database, changed_schema, changed_table'
    ) }}
{%- endmacro %}
