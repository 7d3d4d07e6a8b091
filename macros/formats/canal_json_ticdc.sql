{#- TiCDC's canal-json. One message carries one row; an update also carries `old`, the row as it was or its changed
    columns. With the extension `_tidb` a message has its commit's number, which orders the whole feed.
    Surprise: a row that is too large for Kafka comes as its key alone, or not at all.
    Rules: docs/formats/canal_json_ticdc.md -#}

{% macro parse_canal_json_ticdc(messages) -%}
    {{ cdc._canal_changes(
        sent=cdc._canal_messages(messages, cdc._canal_fields() ~ ",
                _tidb struct<commitTs string, onlyHandleKey string, claimCheckLocation string>"),
        format='canal_json_ticdc',
        message_operation="case
                when word = 'TIDB_WATERMARK' then 'heartbeat'
                else " ~ cdc._canal_operation() ~ "
            end",
        reason='coalesce(
                ' ~ cdc._canal_ticdc_absence() ~ ',
                ' ~ cdc._canal_reason() ~ '
            )',
        sent_rows=cdc._canal_sent_rows(),
        foreign_text=cdc._canal_foreign_text(),
        source_type="'tidb'",
        position="if(" ~ cdc._canal_ticdc_commit() ~ " > 0, array(" ~ cdc._canal_ticdc_commit() ~ "), array())",
        order_scope="if(" ~ cdc._canal_ticdc_commit() ~ " > 0, 'position', 'offset')",
        deletes_first=true,
        is_before_complete="old_image is not null
            and (word = 'UPDATE' or coalesce(size(array_except(map_keys(old_image), key_names)) > 0, false))"
    ) }}
{%- endmacro %}


{#- Unsigned 64 bits, absent or 0 where the extension is off; anything else was reported. -#}
{% macro _canal_ticdc_commit() -%}
    cast(if(message._tidb.commitTs rlike '^[0-9]{1,20}$', message._tidb.commitTs, null) as decimal(38, 0))
{%- endmacro %}


{#- A number that orders nothing, or what a row needs and the message has not. A deletion needs no more than a key. -#}
{% macro _canal_ticdc_absence() -%}
    case
                    when load_error is not null then null
                    when message._tidb.commitTs not rlike '^[0-9]{1,20}$'
                        then concat('commitTs is not a whole number: ', message._tidb.commitTs)
                    when message_operation = 'delete' then null
                    when message._tidb.claimCheckLocation <> ''
                        then concat('the row was too large for Kafka and lies at ', message._tidb.claimCheckLocation)
                    when lower(message._tidb.onlyHandleKey) = 'true'
                        then 'the row was too large for Kafka: the message has only its key (onlyHandleKey)'
                end
{%- endmacro %}
