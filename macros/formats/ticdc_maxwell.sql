{#- TiCDC's imitation of Maxwell: one message carries rows of TiDB tables, one object after the other, or a statement.
    Surprise: a deleted row is in `old`, and the commit of a statement is its `ts`, that of a row nowhere: the offset orders.
    Rules: docs/formats/ticdc_maxwell.md -#}

{% macro parse_ticdc_maxwell(messages) -%}
    -- without the value of the whole batch, which would be copied into every row of it
    with entries as (

        select
            {{ cdc.record_columns() }},
            load_error,
            feed_key_columns,
            feed_settings,
            key,
            image_index,
            row_value as value
        from {{ messages }}
            lateral view outer posexplode(
                -- where one object ends and the next begins: no JSON string has these signs, since its quotes are escaped
                coalesce(
                    split(try_validate_utf8(cast(value as string)), r'(?<=\})(?=\{"database":)'),
                    array(cast(value as string))
                )
            ) as image_index, row_value

    ),

    {{ cdc._maxwell_messages('entries') }},

    worded as (

        select
            *,
            {{ cdc._maxwell_operation() }} as message_operation
        from read_statements

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
            cast(array() as array<decimal(38, 0)>) as position,
            cast(null as string) as position_space,
            'offset' as order_scope
        from worded

    ),

    {{ cdc._maxwell_parsed_rows('placed', 'ticdc_maxwell') }},

    completed_rows as (

        select
            * except (is_before_complete),
            is_before_complete and (operation = 'update' or key_columns is not null) as is_before_complete
        from parsed_rows

    )

    {{ cdc.to_change_contract('completed_rows') }}
{%- endmacro %}


{% macro ticdc_maxwell_row_before(relation) -%}
    {{ cdc.row_before_by_changed_columns(relation) }}
{%- endmacro %}
