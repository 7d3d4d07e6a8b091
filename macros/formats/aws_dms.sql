{#- AWS Database Migration Service to Kafka. One record carries one row and its metadata, or a control record about a
    table. Surprise: a column that is NULL may be left out, and the key columns are in control records alone, so the
    feed declares them. Rules: docs/formats/aws_dms.md -#}

{% macro parse_aws_dms(messages) -%}
    with {{ cdc.exact_messages(messages, '''
                data map<string, string>, `before-image` map<string, string>, control struct<`table-def` string>,
                metadata struct<
                    `record-type` string, operation string, `schema-name` string, `table-name` string,
                    `timestamp` string, `commit-timestamp` string, `transaction-id` string,
                    `transaction-record-id` string, `stream-position` string
                >''') }},

    named as (

        select
            *,
            {{ cdc.unmarked('message.metadata.`record-type`') }} as record_type,
            {{ cdc.unmarked('message.metadata.operation') }} as word,
            nullif({{ cdc.unmarked('message.metadata.`schema-name`') }}, '') as changed_schema,
            nullif({{ cdc.unmarked('message.metadata.`table-name`') }}, '') as changed_table,
            {{ cdc.unmarked('message.metadata.timestamp') }} as handled,
            {{ cdc.unmarked('message.metadata.`commit-timestamp`') }} as committed,
            nullif({{ cdc.unmarked('message.metadata.`transaction-id`') }}, '') as source_transaction,
            {{ cdc.without_marks('message.control.`table-def`') }} as type_text,
            coalesce(feed_settings['before_image_prefix'], 'BI_') as prefix,
            {{ cdc.exact_numbers('message.data', 'exact_text') }} as sent_row,
            {{ cdc.exact_numbers('message.`before-image`', 'exact_text') }} as sent_before
        from decoded

    ),

    parted as (

        select
            *,
            {{ cdc._iso_instant('handled') }} as handled_at,
            {{ cdc._iso_instant('committed') }} as committed_at,
            startswith(lower(changed_table), 'awsdms_') as is_bookkeeping,
            map_filter(sent_row, (column_name, wire_text) -> not startswith(column_name, prefix)) as current_row
        from named

    ),

    judged as (

        select
            *,
            case
                when load_error is not null then load_error
                when value is null then {{ cdc.lost_delete_reason() }}
                when message is null then {{ cdc.undecodable_reason('value', 'text') }}
                when record_type is null then 'metadata.record-type is missing'
                when record_type not in ('data', 'control')
                    then concat('metadata.record-type is neither data nor control: ', record_type)
                when word is null then 'metadata.operation is missing'
                when changed_table is null then 'metadata.table-name is missing'
                when is_bookkeeping then null
                when handled is not null and handled_at is null
                    then concat('metadata.timestamp is not an ISO time: ', handled)
                when committed is not null and committed_at is null
                    then concat('metadata.commit-timestamp is not an ISO time: ', committed)
                when record_type = 'control' and {{ cdc._dms_ddl_kind('word') }} is not null then null
                when record_type = 'control' or word not in ('load', 'insert', 'update', 'delete')
                    then concat('metadata.operation of a ', record_type, ' record is not known: ', word)
                when {{ cdc.has_repeated_column('sent_row') }} or {{ cdc.has_repeated_column('sent_before') }}
                    then 'a column name occurs twice in a row image'
                when word <> 'delete' and coalesce(cardinality(current_row), 0) < 1
                    then concat('operation ', word, ' without columns in data')
                when coalesce(cardinality(sent_row), 0) < 1 and coalesce(cardinality(sent_before), 0) < 1
                    then 'operation delete without columns in data and before-image'
                else {{ cdc.bare_number_reason(['changed_schema', 'changed_table'], ['sent_row', 'sent_before']) }}
            end as row_error
        from parted

    ),

    completed as (

        select
            *,
            row_error is null and not is_bookkeeping and record_type = 'data' as is_row_change,
            case
                when cardinality(sent_before) > 0 then sent_before
                -- a repeated column would stop the statement here
                when row_error is null
                    then map_from_entries(
                        transform(
                            filter(map_entries(sent_row), entry -> startswith(entry.key, prefix)),
                            entry -> named_struct(
                                'key', substring(entry.key, length(prefix) + 1), 'value', entry.value
                            )
                        )
                    )
            end as row_before
        from judged

    ),

    imaged as (

        select
            *,
            case
                when not is_row_change or word in ('load', 'insert') then null
                when cardinality(row_before) > 0 and word = 'delete' and cardinality(current_row) > 0
                    then {{ cdc.overlaid('current_row', 'row_before') }}
                when cardinality(row_before) > 0 then row_before
                when word = 'delete' then current_row
            end as old_image,
            case when is_row_change and word <> 'delete' then current_row end as new_image,
            -- nothing but a change of a row has a key
            case
                when is_row_change then feed_key_columns[concat_ws('.', changed_schema, changed_table)]
            end as key_names
        from completed

    ),

    operations as (

        select
            *,
            case
                when row_error is not null then 'unknown'
                when value is null then 'tombstone'
                when is_bookkeeping then 'ignored'
                when word = 'load' then 'snapshot'
                when is_row_change then word
                when word = 'truncate-table' then 'truncate'
                else 'schema_change'
            end as whole_operation,
            {{ cdc.key_values('key_names', 'coalesce(new_image, old_image)') }} as key_of_row,
            case
                when new_image is not null and old_image is not null
                    then {{ cdc.key_values_of_either('key_names', 'old_image', 'new_image') }}
            end as key_before,
            -- a task drops and creates its tables before it loads them: below all of their rows
            if(word = 'load' or record_type = 'control' and source_transaction is null, 0, 1) as phase,
            case
                when word = 'load' then cast(array() as array<decimal(38, 0)>)
                else {{ cdc._dms_position('message.metadata') }}
            end as source_position
        from imaged

    ),

    parsed_rows as (

        select
            {{ cdc.record_columns() }},
            0 as image_index,
            whole_operation as operation,
            word as source_operation,
            {{ cdc.unknown_error('row_error', 'text', 'aws_dms') }} as error,
            cast(null as string) as source_type,
            cast(null as string) as catalog_name,
            cast(null as string) as database_name,
            changed_schema as schema_name,
            changed_table as table_name,
            key_names as key_columns,
            key_of_row as row_key,
            key_before,
            old_image as before_image,
            new_image as after_image,
            -- nothing distinguishes an image of the key alone from a whole one
            false as is_before_complete,
            new_image is not null
            and (word <> 'update' or feed_settings['after_images'] <=> 'complete') as is_after_complete,
            cast(null as array<string>) as before_unavailable,
            cast(null as array<string>) as after_unavailable,
            type_text as schema_text,
            coalesce(committed_at, handled_at) as changed_at,
            handled_at as captured_at,
            source_transaction as transaction_id,
            phase,
            source_position as position,
            if(size(source_position) > 0, 'position', 'offset') as order_scope,
            cast(null as string) as position_space,
            case when whole_operation = 'snapshot' then word end as snapshot_mark,
            cast(null as string) as ddl,
            {{ cdc._dms_ddl_kind('word') }} as ddl_kind
        from operations

    )

    {{ cdc.to_change_contract('parsed_rows') }}
{%- endmacro %}


{#- The kind of a control record by its operation; NULL for any other word. -#}
{% macro _dms_ddl_kind(word) -%}
    case
        when {{ word }} = 'create-table' then 'create'
        when {{ word }} = 'drop-table' then 'drop'
        when {{ word }} = 'rename-table' then 'rename'
        when {{ word }} = 'truncate-table' then 'truncate'
        when {{ word }} in ('add-column', 'drop-column', 'rename-column', 'change-columns', 'column-type-change')
            then 'alter'
    end
{%- endmacro %}


{#- PostgreSQL's stream position, `00000002/7C007178.3.00000002/7C007178`: a log position in two hexadecimal halves, a
    counter, a log position; then the number in the transaction. Empty for any other engine's text. -#}
{% macro _dms_position(metadata) -%}
    case
        when {{ metadata }}.`stream-position`
            rlike '^[0-9A-Fa-f]{1,8}/[0-9A-Fa-f]{1,8}[.][0-9]{1,38}[.][0-9A-Fa-f]{1,8}/[0-9A-Fa-f]{1,8}$'
            then concat(
                transform(
                    split({{ metadata }}.`stream-position`, '[./]'),
                    (part, place) -> cast(if(place = 2, part, conv(part, 16, 10)) as decimal(38, 0))
                ),
                array(coalesce(try_cast({{ metadata }}.`transaction-record-id` as decimal(38, 0)), -1))
            )
        else cast(array() as array<decimal(38, 0)>)
    end
{%- endmacro %}
