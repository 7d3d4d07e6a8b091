{#- Flink CDC's Kafka sink and Flink SQL's format debezium-json. One record carries one row. Flink CDC names the table
    and writes an update as one record; Flink SQL names none and writes it as a d and a c.
    Surprise: no time and no position; a schema block has types that the values are not written in. Its sources pass on
    Debezium's placeholders.
    Rules: docs/formats/flink_cdc_debezium.md -#}

{% macro parse_flink_cdc_debezium(messages) -%}
    {%- set is_unnamed = "nullif(message.source.table, '') is null" -%}
    {%- set named = "feed_settings['table_name']" -%}
    {{ cdc._keyed_envelope_changes(
        messages,
        'flink_cdc_debezium',
        {
            'op': 'string',
            'before': 'map<string, string>',
            'after': 'map<string, string>',
            'source': 'struct<connector string, db string, `table` string>'
        },
        {
            'key_image': "map_filter(key_message.flat, (column_name, wire_text) -> column_name <> 'TableId')",
            'operation': "case op
                when 'c' then 'insert'
                when 'u' then 'update'
                when 'd' then 'delete'
            end",
            'reason': "case
                        when message.source.connector is not null
                            then concat('source.connector is ', message.source.connector, ', and Flink writes none')
                        when changed_table is null
                            then 'the message names no table: name it in the setting table_name of the feed'
                    end",
            'source_operation': 'op',
            'source_type': 'cast(null as string)',
            'database_name': "nullif(
                if(" ~ is_unnamed ~ ", regexp_extract(" ~ named ~ ", '^(.*)[.]', 1), message.source.db),
                ''
            )",
            'table_name': "nullif(
                if(" ~ is_unnamed ~ ", regexp_extract(" ~ named ~ ", '[^.]*$', 0), message.source.table),
                ''
            )",
            'missing_before': cdc.unavailable_columns('row_before'),
            'missing_after': cdc.unavailable_columns('row_after'),
            'changed_at': 'cast(null as timestamp)',
            'captured_at': 'cast(null as timestamp)',
            'position': 'cast(array() as array<decimal(38, 0)>)',
            'order_scope': 'offset',
            'deletes_first': false,
            'ddl': 'cast(null as string)',
            'ddl_kind': 'cast(null as string)'
        }
    ) }}
{%- endmacro %}
