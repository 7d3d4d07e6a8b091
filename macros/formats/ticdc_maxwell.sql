{#- TiCDC's imitation of Maxwell: one message carries one row of a TiDB table, or a statement.
    Surprise: a deleted row is in `old`, and the commit that orders everything is only in the Kafka key, of statements
    in `ts`. Rules: docs/formats/ticdc_maxwell.md -#}

{% macro parse_ticdc_maxwell(messages) -%}
    with {{ cdc._maxwell_messages(messages) }},

    worded as (

        select
            *,
            from_json(cast(key as string), 'ts string') as key_message,
            {{ cdc._maxwell_operation() }} as message_operation
        from read_statements

    ),

    committed as (

        select
            *,
            if(message_operation in ('schema_change', 'truncate'), message.ts, key_message.ts) as commit_text
        from worded

    ),

    placed as (

        select
            *,
            {{ cdc.exact_numbers("if(message.type = 'delete', message.old, message.data)", 'exact_text') }} as row_image,
            cast(null as array<string>) as carried_key,
            false as may_be_minimal,
            -- a text that may be TiCDC's own has Maxwell's words too: `xid` and bootstraps are Maxwell's alone
            case
                when text rlike r'"(xid|isDdl)":'
                    or not text rlike r'"type":\s*"(insert|update|delete|(table|database)-[a-z]+)"'
                    then text
            end as foreign_text,
            case when message is not null then 'tidb' end as source_type,
            if(
                message_operation in ('schema_change', 'truncate'),
                {{ cdc.epoch_millis("shiftright(try_cast(message.ts as bigint), 18)") }},
                {{ cdc._maxwell_row_time() }}
            ) as changed_at,
            cast(null as timestamp) as captured_at,
            if(
                commit_text rlike '^[0-9]{1,20}$',
                array(cast(commit_text as decimal(38, 0))),
                cast(array() as array<decimal(38, 0)>)
            ) as position,
            cast(null as string) as position_space,
            if(commit_text rlike '^[0-9]{1,20}$', 'position', 'offset') as order_scope
        from committed

    ),

    {{ cdc._maxwell_parsed_rows('placed', 'ticdc_maxwell') }},

    completed_rows as (

        select
            * except (is_before_complete),
            is_before_complete and (operation = 'update' or key_columns is not null) as is_before_complete
        from parsed_rows

    )

    {{ cdc.to_change_contract('completed_rows', deletes_first=true) }}
{%- endmacro %}


{% macro ticdc_maxwell_row_before(relation) -%}
    {{ cdc.row_before_by_changed_columns(relation) }}
{%- endmacro %}
