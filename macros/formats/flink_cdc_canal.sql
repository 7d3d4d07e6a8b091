{#- Flink CDC's Kafka sink and Flink SQL's format canal-json. One message carries one row in `data`; an update of Flink
    CDC also carries `old`, the row as it was. Flink SQL writes an update as a DELETE and an INSERT.
    Surprise: no time and no type, and Flink SQL names neither table nor key. Rules: docs/formats/flink_cdc_canal.md -#}

{% macro parse_flink_cdc_canal(messages) -%}
    {%- set is_unnamed = "nullif(rtrim(message.table), '') is null" -%}
    {%- set named = "feed_settings['table_name']" -%}
    {{ _canal_changes(
        sent=_canal_exact_messages(messages, _canal_fields()),
        format='flink_cdc_canal',
        database_name="if(" ~ is_unnamed ~ ", regexp_extract(" ~ named ~ ", r'^(.*)\\.', 1), message.database)",
        table_name="if(" ~ is_unnamed ~ ", regexp_extract(" ~ named ~ ", r'[^.]*$', 0), message.table)",
        message_operation="case word
                when 'INSERT' then 'insert'
                when 'UPDATE' then 'update'
                when 'DELETE' then 'delete'
            end",
        reason="case
                when load_error is null and is_row_change and changed_table is null
                    then 'the message names no table: name it in the setting table_name of the feed'
                else " ~ _canal_reason() ~ "
            end",
        sent_rows=_canal_sent_rows(),
        foreign_text=_canal_foreign_text(),
        source_type='cast(null as string)'
    ) }}
{%- endmacro %}
