{#- Quest SharePlex to Kafka as JSON, and what Aliyun DTS writes as SharePlex JSON: one record is one row.
    Surprise: `meta` may hold nothing but op and table, and `key` only the key columns, so that an update is a partial
    image and only the offset orders. Rules: docs/formats/shareplex_quest.md -#}

{% macro parse_shareplex_quest(messages) -%}
    {{ cdc._shareplex_changes(
        messages,
        'shareplex_quest',
        catalog_name='cast(null as string)',
        database_name='cast(null as string)',
        schema_name="case when contains(message.meta.table, '.') then substring_index(message.meta.table, '.', 1) end",
        table_name="substring(message.meta.table, locate('.', message.meta.table) + 1)",
        position=cdc._shareplex_numbers('message.meta.scn, message.meta.seq'),
        operation_of_ins="'insert'",
        is_whole="whole_operation <> 'update'",
        lacks_table="changed_table is null and kind_of_ddl in ('truncate', 'drop')"
    ) }}
{%- endmacro %}
