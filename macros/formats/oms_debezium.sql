{#- OceanBase Migration Service (OMS) to Kafka, format Debezium, from OceanBase's MySQL mode. One record carries one
    row; rows of a full load have no source time.
    Surprise: the position is written the wrong way round, "553132@1668496109", with the seconds on the right.
    Rules: docs/formats/oms_debezium.md -#}

{% macro parse_oms_debezium(messages) -%}
    with {{ cdc._enveloped_messages(messages, {
        'op': 'string',
        'before': 'map<string, string>',
        'after': 'map<string, string>',
        'source': 'struct<connector string, db string, `table` string, ts_ms string, pos string>',
        'ts_ms': 'string'
    }) }},

    {{ cdc.read_statements('imaged', 'null') }},

    named as (

        select
            *,
            case
                when op = 'c' then if(coalesce(message.source.ts_ms, '0') = '0', 'snapshot', 'insert')
                when op = 'u' then 'update'
                when op = 'd' then 'delete'
                when op = 'HEARTBEAT' then 'heartbeat'
            end as message_operation,
            op as source_operation,
            block_text as schema_block,
            case
                when contains(message.source.db, '.') then nullif(substring_index(message.source.db, '.', 1), '')
            end as changed_catalog,
            nullif(regexp_replace(message.source.db, r'^[^.]*\.', ''), '') as changed_database,
            cast(null as string) as changed_schema,
            nullif(message.source.table, '') as changed_table,
            cast(null as string) as ddl,
            cast(null as string) as kind_of_ddl,
            {{ cdc._oms_instant("nullif(message.source.ts_ms, '0')") }} as changed_at,
            {{ cdc._oms_instant('message.ts_ms') }} as captured_at,
            cast(null as string) as transaction_id,
            {{ cdc._oms_debezium_position('message.source.pos') }} as position,
            cast(array() as array<decimal(38, 0)>) as numbers_apart,
            cast(null as string) as position_space
        from read_statements

    ),

    {{ cdc._enveloped_parsed_rows('named', 'oms_debezium') }}

    {{ cdc.to_change_contract('parsed_rows') }}
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
