{#- Flink CDC's Kafka sink, Flink SQL's format canal-json, and SeaTunnel's. One message carries one row in `data`; an update
    of Flink CDC also carries `old`, the row as it was. The others write an update as a DELETE and an INSERT.
    Surprise: no time and no type, Flink SQL names neither table nor key, and SeaTunnel's row may be in no list.
    Rules: docs/formats/flink_cdc_canal.md -#}

{% macro parse_flink_cdc_canal(messages) -%}
    {%- set is_unnamed = "nullif(rtrim(message.table), '') is null" -%}
    {%- set named = "feed_settings['table_name']" -%}
    {{ cdc._canal_changes(
        sent=cdc._canal_exact_messages(messages, cdc._canal_fields()),
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
                else " ~ cdc._canal_reason() ~ "
            end",
        sent_rows="case
                -- in its spelling: what Maxwell calls insert is no row of SeaTunnel
                when data is null and old is null and source_operation in ('INSERT', 'DELETE')
                    then " ~ cdc._flink_cdc_canal_row_in_no_list() ~ "
                else " ~ cdc._canal_sent_rows() ~ "
            end",
        foreign_text=cdc._canal_foreign_text(),
        source_type='cast(null as string)'
    ) }}
{%- endmacro %}


{#- The row of a message whose `data` is an object, as a list; NULL where it is none. -#}
{% macro _flink_cdc_canal_row_in_no_list() -%}
    transform(
                    filter(
                        array(from_json(exact_text, 'data map<string, string>').data),
                        sent_row -> cardinality(sent_row) > 0
                    ),
                    sent_row -> {{ cdc.exact_numbers('sent_row', 'exact_text') }}
                )
{%- endmacro %}
