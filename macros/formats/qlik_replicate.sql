{#- Qlik Replicate to Kafka. One record carries one row, in an envelope or bare, or is a metadata record with a table's
    columns. Surprise: a record of a row names neither its table nor its key: the topic or the feed does.
    Rules: docs/formats/qlik_replicate.md -#}

{% macro parse_qlik_replicate(messages) -%}
    {%- set fields = {
        'data': 'map<string, string>',
        'beforeData': 'map<string, string>',
        'headers': 'struct<operation string, changeSequence string, `timestamp` string, transactionId string,'
            ~ ' columnMask string>',
        'lineage': 'struct<`schema` string, `table` string>',
        'tableStructure': 'string'
    } -%}
    {%- set body = [] -%}
    {%- for name, type in fields.items() -%}
        {%- do body.append(name ~ ' ' ~ type) -%}
    {%- endfor -%}
    with {{ cdc.marked_messages(messages) }},

    parsed as (

        select
            *,
            {{ cdc.decode_object(
                'exact_text',
                body | join(',\n                ') ~ ',\n                type string'
                ~ ',\n                message struct<' ~ body | join(',\n                ') ~ '>'
            ) }} as marked_object
        from marked

    ),

    enveloped as (

        select
            *,
            {{ cdc.decoded_object('marked_object') }} as envelope
        from parsed

    ),

    decoded as (

        select
            *,
            coalesce(
                envelope.message,
                case
                    when envelope is not null
                        then named_struct(
                            {%- for name in fields %}
                            '{{ name }}', envelope.{{ name }}{{ ',' if not loop.last }}
                            {%- endfor %}
                        )
                end
            ) as message
        from enveloped

    ),

    named as (

        select
            *,
            {{ cdc.unmarked('envelope.type') }} as envelope_type,
            message.tableStructure is not null as has_structure,
            {{ cdc.unmarked('message.headers.operation') }} as word,
            {{ cdc.unmarked('message.headers.timestamp') }} as changed,
            nullif({{ cdc.unmarked('message.headers.changeSequence') }}, '') as change_number,
            {{ cdc.unmarked('message.headers.columnMask') }} as column_mask,
            {{ cdc.without_marks('message.tableStructure') }} as type_text,
            case when message is not null then coalesce(feed_settings['table'], topic) end as table_path,
            {{ cdc.exact_numbers('message.data', 'exact_text') }} as sent_row,
            {{ cdc.exact_numbers('message.beforeData', 'exact_text') }} as sent_before
        from decoded

    ),

    typed as (

        select
            *,
            -- a bare record has no type
            coalesce(envelope_type, if(has_structure, 'MD', 'DT')) as record_type,
            {{ cdc._iso_instant('changed') }} as changed_at,
            {{ cdc._qlik_absent_columns('sent_row', 'column_mask') }} as absent_columns
        from named

    ),

    placed as (

        select
            *,
            case
                when record_type = 'MD' then nullif({{ cdc.unmarked('message.lineage.schema') }}, '')
                when contains(table_path, '.') then substring_index(substring_index(table_path, '.', -2), '.', 1)
            end as changed_schema,
            case
                when record_type = 'MD' then nullif({{ cdc.unmarked('message.lineage.table') }}, '')
                else substring_index(table_path, '.', -1)
            end as changed_table
        from typed

    ),

    judged as (

        select
            *,
            case
                when load_error is not null then load_error
                when value is null then {{ cdc.lost_delete_reason() }}
                when message is null then {{ cdc.undecodable_reason('value', 'text') }}
                when record_type = 'MD' then null
                when record_type <> 'DT' then concat('type is neither DT nor MD: ', record_type)
                when word is null then 'headers.operation is missing'
                when word not in ('REFRESH', 'INSERT', 'UPDATE', 'DELETE')
                    then concat('headers.operation is not known: ', word)
                when changed is not null and changed_at is null
                    then concat('headers.timestamp is not an ISO time: ', changed)
                when {{ cdc.has_repeated_column('sent_row') }} or {{ cdc.has_repeated_column('sent_before') }}
                    then 'a column name occurs twice in a row image'
                when word <> 'DELETE' and coalesce(cardinality(sent_row), 0) < 1
                    then concat('operation ', word, ' without columns in data')
                when coalesce(cardinality(sent_row), 0) < 1 and coalesce(cardinality(sent_before), 0) < 1
                    then 'operation DELETE without columns in data and beforeData'
                else {{ cdc.bare_number_reason(['changed_schema', 'changed_table'], ['sent_row', 'sent_before']) }}
            end as row_error
        from placed

    ),

    imaged as (

        select
            *,
            row_error is null and value is not null and record_type = 'DT' as is_row_change,
            case
                when row_error is not null or word not in ('UPDATE', 'DELETE') then null
                when cardinality(sent_before) > 0 then sent_before
                when word = 'DELETE' then {{ cdc.without_columns('sent_row', 'absent_columns') }}
            end as old_image,
            case
                when row_error is null and word <> 'DELETE' then {{ cdc.without_columns('sent_row', 'absent_columns') }}
            end as new_image,
            coalesce(cardinality(sent_before), 0) > 0 as has_before
        from judged

    ),

    operations as (

        select
            *,
            case
                when row_error is not null then 'unknown'
                when value is null then 'tombstone'
                when not is_row_change then 'ignored'
                when word = 'REFRESH' then 'snapshot'
                else lower(word)
            end as whole_operation,
            -- nothing but a change of a row has a key
            case
                when is_row_change then feed_key_columns[concat_ws('.', changed_schema, changed_table)]
            end as key_names
        from imaged

    ),

    keyed as (

        select
            *,
            {{ cdc.key_values('key_names', 'coalesce(new_image, old_image)') }} as key_of_row,
            case
                when new_image is not null and old_image is not null
                    then {{ cdc.key_values_of_either('key_names', 'old_image', 'new_image') }}
            end as key_before
        from operations

    ),

    parsed_rows as (

        select
            {{ cdc.record_columns() }},
            0 as image_index,
            whole_operation as operation,
            coalesce(word, envelope_type) as source_operation,
            {{ cdc.unknown_error('row_error', 'text', 'qlik_replicate') }} as error,
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
            -- nothing shows how much of the row it holds
            false as is_before_complete,
            new_image is not null and cardinality(absent_columns) = 0
            and (word <> 'UPDATE' or feed_settings['after_images'] <=> 'complete') as is_after_complete,
            case when old_image is not null and not has_before then absent_columns end as before_unavailable,
            case when new_image is not null then absent_columns end as after_unavailable,
            type_text as schema_text,
            changed_at,
            cast(null as timestamp) as captured_at,
            nullif({{ cdc.unmarked('message.headers.transactionId') }}, '') as transaction_id,
            if(word = 'REFRESH', 0, 1) as phase,
            case
                when change_number rlike '^[0-9]{1,38}$' and word <> 'REFRESH'
                    then array(cast(change_number as decimal(38, 0)))
                else cast(array() as array<decimal(38, 0)>)
            end as position,
            'position' as order_scope,
            cast(null as string) as position_space,
            case when whole_operation = 'snapshot' then word end as snapshot_mark,
            cast(null as string) as ddl,
            cast(null as string) as ddl_kind
        from keyed

    )

    {{ cdc.to_change_contract('parsed_rows') }}
{%- endmacro %}


{#- Columns that are NULL in a row, but not there by the mask. Bit n of the mask, the lowest bit of the first byte first,
    is column n of the table: also of the row only if this has more columns than the mask has bits set. -#}
{% macro _qlik_absent_columns(image, mask) -%}
    coalesce(
        case
            when {{ mask }} rlike '^([0-9A-Fa-f]{2})+$'
                and aggregate(
                    regexp_extract_all({{ mask }}, '.', 0),
                    0,
                    (bits, digit) -> bits + bit_count(cast(conv(digit, 16, 10) as int))
                ) < cardinality({{ image }})
                then filter(
                    map_keys({{ image }}),
                    (column_name, place) -> {{ image }}[column_name] is null
                    and coalesce(
                        getbit(
                            cast(conv(substring({{ mask }}, cast(place div 8 * 2 + 1 as int), 2), 16, 10) as int),
                            place % 8
                        ),
                        0
                    ) = 0
                )
        end,
        array()
    )
{%- endmacro %}
