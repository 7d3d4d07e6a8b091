{#- Maxwell: one message carries one row of a MySQL table, a statement, or a mark of a bootstrap. An update also carries
    the prior values of the changed columns in `old`.
    Surprise: the last row of a transaction has `commit` instead of `xoffset`, and TRUNCATE leaves no message at all. With
    binlog_row_image=MINIMAL `data` has the key and what the statement set, and `old` an old key alone.
    Rules: docs/formats/maxwell.md -#}

{% macro parse_maxwell(messages) -%}
    with {{ cdc._maxwell_messages(messages) }},

    imaged as (

        select
            *,
            from_json(
                concat('{"fields":', cast(key as string), ',"parts":', cast(key as string), '}'),
                'fields map<string, string>, parts array<string>'
            ) as key_message,
            case
                when message.type = 'bootstrap-insert' then 'snapshot'
                when message.type in ('bootstrap-start', 'bootstrap-complete') then 'ignored'
                else {{ cdc._maxwell_operation() }}
            end as message_operation,
            {{ cdc.exact_numbers('message.data', 'exact_text') }} as row_image,
            {{ cdc._maxwell_position('message') }} as position
        from read_statements

    ),

    placed as (

        select
            *,
            0 as image_index,
            {{ cdc._maxwell_key('message', 'key_message', 'row_image') }} as carried_key,
            true as may_be_minimal,
            text as foreign_text,
            case when message is not null then 'mysql' end as source_type,
            if(
                message_operation in ('schema_change', 'truncate'),
                {{ cdc.epoch_millis('message.ts') }},
                {{ cdc._maxwell_row_time() }}
            ) as changed_at,
            case when message_operation in ('snapshot', 'ignored') then {{ cdc.epoch_seconds('message.ts') }} end
                as captured_at,
            case
                when size(position) > 0
                    then concat_ws(
                        '/', message.server_id, regexp_extract(message.position, r'^(.*)\.[0-9]+:[0-9]+$', 1)
                    )
            end as position_space,
            case
                when feed_settings['order'] in ('offset', 'position') then feed_settings['order']
                when message.position is not null then 'position'
                else 'offset'
            end as order_scope
        from imaged

    ),

    {{ cdc._maxwell_parsed_rows('placed', 'maxwell') }}

    {{ cdc.to_change_contract('parsed_rows') }}
{%- endmacro %}


{% macro maxwell_row_before(relation) -%}
    {{ cdc.row_before_by_changed_columns(relation) }}
{%- endmacro %}


{#- Number of the log file and position in it, then the row's number in its transaction; the last row is only marked as
    the last. Empty where the message has no such position, as in a bootstrap, or the feed wants none. -#}
{% macro _maxwell_position(message) -%}
    cast(
                case
                    when {{ message }}.position rlike r'\.[0-9]{1,38}:[0-9]{1,38}$'
                        and not feed_settings['order'] <=> 'offset'
                        then concat(
                            transform(
                                split(regexp_extract({{ message }}.position, r'([0-9]+:[0-9]+)$', 1), ':'),
                                part -> cast(part as decimal(38, 0))
                            ),
                            case
                                when lower({{ message }}.commit) = 'true' then array(cast(1 as decimal(38, 0)))
                                when {{ message }}.xoffset rlike '^[0-9]{1,38}$'
                                    then array(cast(0 as decimal(38, 0)), cast({{ message }}.xoffset as decimal(38, 0)))
                                else array()
                            end
                        )
                    else array()
                end as array<decimal(38, 0)>
            )
{%- endmacro %}


{#- The key columns that a message names, else those of its Kafka key: {"database", "table", "pk.<column>"} or
    [database, table, [{column: value}]]. It writes them in lower case: their spelling is that of the row. NULL where
    there are none; a table without a key has a random `_uuid` in the Kafka key. -#}
{% macro _maxwell_key(message, decoded_key, image) -%}
    transform(
                            get(
                                filter(
                                    array(
                                        {{ message }}.primary_key_columns,
                                        transform(
                                            filter(map_keys({{ decoded_key }}.fields), name -> startswith(name, 'pk.')),
                                            name -> substring(name, 4)
                                        ),
                                        flatten(
                                            transform(
                                                from_json(
                                                    get({{ decoded_key }}.parts, 2),
                                                    'array<map<string, string>>'
                                                ),
                                                part -> map_keys(part)
                                            )
                                        )
                                    ),
                                    names -> size(names) > 0
                                ),
                                0
                            ),
                            name -> coalesce(
                                get(filter(map_keys({{ image }}), column_name -> lower(column_name) = lower(name)), 0),
                                name
                            )
                        )
{%- endmacro %}
