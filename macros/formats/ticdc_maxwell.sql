{#- TiCDC's imitation of Maxwell: one message carries one row of a TiDB table, or a statement.
    Surprise: a deleted row is in `old`, and the commit that orders everything is only in the Kafka key, of statements
    in `ts`. Rules: docs/formats/ticdc_maxwell.md -#}

{% macro parse_ticdc_maxwell(messages) -%}
    {{ cdc._maxwell_changes(
        messages,
        format='ticdc_maxwell',
        source_type='tidb',
        decoded_key="from_json(cast(key as string), 'ts string')",
        told_operation=cdc._maxwell_operation(),
        sent_row="if(message.type = 'delete', message.old, message.data)",
        key_of_message='null',
        is_partial='false',
        is_before_complete="(
                whole_operation = 'update'
                or coalesce(size(array_except(map_keys(old_image), key_names)) > 0, false)
            )",
        changed_at="if(
                told_operation in ('schema_change', 'truncate'),
                " ~ cdc.epoch_millis("shiftright(try_cast(message.ts as bigint), 18)") ~ ",
                " ~ cdc._maxwell_row_time() ~ "
            )",
        captured_at='cast(null as timestamp)',
        position="cast(
                case
                    when " ~ cdc._ticdc_maxwell_commit() ~ " rlike '^[0-9]{1,20}$'
                        then array(" ~ cdc._ticdc_maxwell_commit() ~ ")
                    else array()
                end as array<decimal(38, 0)>
            )",
        position_space='cast(null as string)',
        order_scope="if(size(source_position) > 0, 'position', 'offset')",
        foreign_text=cdc._ticdc_maxwell_foreign_text(),
        deletes_first=true
    ) }}
{%- endmacro %}


{#- Text of the commit's number. -#}
{% macro _ticdc_maxwell_commit() -%}
    if(told_operation in ('schema_change', 'truncate'), message.ts, key_message.ts)
{%- endmacro %}


{#- NULL for a text that may be TiCDC's own, although it has Maxwell's words: `xid` and bootstraps are Maxwell's
    alone. -#}
{% macro _ticdc_maxwell_foreign_text() -%}
    case
                when text rlike r'"(xid|isDdl)":'
                    or not text rlike r'"type":\s*"(insert|update|delete|(table|database)-[a-z]+)"'
                    then text
            end
{%- endmacro %}
