{#- OceanBase Migration Service (OMS) to Kafka, format Debezium, from OceanBase's MySQL mode. One record carries one
    row; rows of a full load have no source time.
    Surprise: the position is written the wrong way round, "553132@1668496109", with the seconds on the right.
    Rules: docs/formats/oms_debezium.md -#}

{% macro parse_oms_debezium(messages) -%}
    {{ cdc._enveloped_changes(
        messages,
        'oms_debezium',
        {
            'op': 'string',
            'before': 'map<string, string>',
            'after': 'map<string, string>',
            'source': 'struct<connector string, db string, `table` string, ts_ms string, pos string>',
            'ts_ms': 'string'
        },
        {
            'operation': "case
                when op = 'c' then if(coalesce(message.source.ts_ms, '0') = '0', 'snapshot', 'insert')
                when op = 'u' then 'update'
                when op = 'd' then 'delete'
                when op = 'HEARTBEAT' then 'heartbeat'
            end",
            'source_operation': 'op',
            'catalog_name': "case
                when contains(message.source.db, '.') then nullif(substring_index(message.source.db, '.', 1), '')
            end",
            'database_name': "nullif(regexp_replace(message.source.db, r'^[^.]*\\.', ''), '')",
            'schema_name': 'cast(null as string)',
            'changed_at': cdc._oms_instant("nullif(message.source.ts_ms, '0')"),
            'captured_at': cdc._oms_instant('message.ts_ms'),
            'transaction_id': 'cast(null as string)',
            'position': cdc._oms_debezium_position('message.source.pos'),
            'position_space': 'cast(null as string)',
            'ddl': 'cast(null as string)',
            'ddl_kind': 'cast(null as string)'
        }
    ) }}
{%- endmacro %}


{#- The documents say seconds and print milliseconds: fewer than twelve digits are seconds. -#}
{% macro _oms_instant(text) -%}
    if(
        {{ text }} rlike '^-?[0-9]{1,11}$',
        timestamp_seconds(try_cast({{ text }} as bigint)),
        {{ cdc.epoch_millis(text) }}
    )
{%- endmacro %}


{#- Seconds first, then the number left of them; empty for any other text. -#}
{% macro _oms_debezium_position(pos) -%}
    case
        when {{ pos }} rlike '^[0-9]{1,38}@[0-9]{1,38}$'
            then array(
                cast(substring_index({{ pos }}, '@', -1) as decimal(38, 0)),
                cast(substring_index({{ pos }}, '@', 1) as decimal(38, 0))
            )
        else cast(array() as array<decimal(38, 0)>)
    end
{%- endmacro %}
