{#- OMS (OceanBase Migration Service) to Kafka as SharePlex JSON: one record is one row. On `upd` `key` has
    the whole old row, `data` the changed columns.
    Surprise: only a missing `meta.scn` shows a row of the full load, and only where the task sends it at all.
    Rules: docs/formats/oms_shareplex.md -#}

{% macro parse_oms_shareplex(messages) -%}
    {{ cdc._shareplex_changes(
        messages,
        'oms_shareplex',
        catalog_name="case when size(split(message.meta.table, r'\\.')) = 3"
        ~ " then split_part(message.meta.table, '.', 1) end",
        database_name="case when contains(message.meta.table, '.') then split_part(message.meta.table, '.', -2) end",
        schema_name='cast(null as string)',
        table_name="split_part(message.meta.table, '.', -1)",
        position=cdc._oms_shareplex_position(),
        operation_of_ins="if(feed_settings['sequence'] <=> 'enabled' and message.meta.scn is null,"
        ~ " 'snapshot', 'insert')",
        is_whole='true',
        lacks_table="changed_table is null and coalesce(kind_of_ddl in ('truncate', 'drop'), true)"
    ) }}
{%- endmacro %}


{#- scn is a time and a counter of at most five digits, without a mark between them: up to 13 digits are seconds and a
    counter, 16 and more are milliseconds and a counter, 14 and 15 are what the feed declares. -#}
{% macro _oms_shareplex_position() -%}
    {%- set time_digits = cdc._oms_time_digits('message.meta.scn') -%}
    {{ cdc._shareplex_numbers(
        "left(message.meta.scn, 10), substring(message.meta.scn, 11, " ~ time_digits ~ " - 10),"
        ~ " substring(message.meta.scn, " ~ time_digits ~ " + 1), message.meta.seq"
    ) }}
{%- endmacro %}
