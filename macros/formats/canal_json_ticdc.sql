{#- TiCDC's canal-json. One message carries one row; an update also carries `old`, the row as it was or its changed
    columns. With the extension `_tidb` a message has its commit's number, which orders the whole feed.
    Surprise: a row that is too large for Kafka comes as its key alone, or not at all.
    Rules: docs/formats/canal_json_ticdc.md -#}

{% macro parse_canal_json_ticdc(messages) -%}
    with {{ cdc._canal_messages(messages, cdc._canal_fields() ~ ",
                _tidb struct<commitTs string, onlyHandleKey string, claimCheckLocation string>") }},

    committed as (

        select
            *,
            -- unsigned 64 bits, absent or 0 where the extension is off; anything else is an error
            cast(if(message._tidb.commitTs rlike '^[0-9]{1,20}$', message._tidb.commitTs, null) as decimal(38, 0))
                as commit_number
        from sent

    ),

    {{ cdc._canal_operations('committed') }},

    operations_of_ticdc as (

        select
            * except (message_operation, own_error, source_type, position, order_scope),
            if(word = 'TIDB_WATERMARK', 'heartbeat', message_operation) as message_operation,
            case
                when message._tidb.commitTs not rlike '^[0-9]{1,20}$'
                    then concat('commitTs is not a whole number: ', message._tidb.commitTs)
                -- a deletion needs no more than a key
                when word = 'DELETE' then null
                when message._tidb.claimCheckLocation <> ''
                    then concat('the row was too large for Kafka and lies at ', message._tidb.claimCheckLocation)
                when lower(message._tidb.onlyHandleKey) = 'true'
                    then 'the row was too large for Kafka: the message has only its key (onlyHandleKey)'
            end as own_error,
            case when undecodable is null then 'tidb' end as source_type,
            if(commit_number > 0, array(commit_number), cast(array() as array<decimal(38, 0)>)) as position,
            if(commit_number > 0, 'position', 'offset') as order_scope
        from operations

    ),

    {{ cdc._canal_parsed_rows('operations_of_ticdc', 'canal_json_ticdc') }},

    completed_rows as (

        select
            * except (is_before_complete),
            is_before_complete
            and (
                operation = 'update'
                or coalesce(size(array_except(map_keys(before_image), key_columns)) > 0, false)
            ) as is_before_complete
        from parsed_rows

    )

    {{ cdc.to_change_contract('completed_rows', deletes_first=true) }}
{%- endmacro %}


{% macro canal_json_ticdc_row_before(relation) -%}
    {{ cdc.row_before_by_changed_columns(relation) }}
{%- endmacro %}
