{#- Oracle GoldenGate's JSON formatter in operation mode: one message carries one change of one row, or a TRUNCATE.
    `pos` is the position in the trail.
    Surprise: an update may have only the key and the changed columns, and says so only if `<column>_isMissing` is
    switched on. Rules: docs/formats/ogg_json.md -#}

{% macro parse_ogg_json(messages) -%}
    with {{ cdc.exact_messages(messages, '''
                `table` string, op_type string, op_ts string, current_ts string, pos string, csn string, xid string,
                primary_keys array<string>, before map<string, string>, after map<string, string>''') }},

    named as (

        select
            *,
            {{ cdc.unmarked('message.op_type') }} as op,
            reverse(split(nullif({{ cdc.unmarked('message.table') }}, ''), r'\.')) as name_parts,
            case when message.op_type in ('U', 'D') then {{ cdc.exact_numbers('message.before', 'exact_text') }} end
                as sent_before,
            case when message.op_type in ('I', 'U') then {{ cdc.exact_numbers('message.after', 'exact_text') }} end
                as sent_after
        from decoded

    ),

    located as (

        select
            *,
            nullif(get(name_parts, 0), '') as changed_table,
            nullif(get(name_parts, 1), '') as changed_schema,
            nullif(get(name_parts, 2), '') as changed_database,
            {{ cdc._ogg_missing_columns('sent_before') }} as missing_before,
            {{ cdc._ogg_missing_columns('sent_after') }} as missing_after
        from named

    ),

    imaged as (

        select
            *,
            {{ cdc._ogg_image('sent_before', 'missing_before') }} as old_image,
            {{ cdc._ogg_image('sent_after', 'missing_after') }} as new_image
        from located

    ),

    judged as (

        select
            *,
            case
                when load_error is not null then load_error
                when value is null then {{ cdc.lost_delete_reason() }}
                when message is null then {{ cdc.undecodable_reason('value', 'text') }}
                when op is null then 'op_type is missing'
                when op not in ('I', 'U', 'D', 'T') then concat('op_type is not known: ', op)
                when changed_table is null then 'table is missing'
                when size(name_parts) > 3 then concat('table is not a name of at most three parts: ', message.table)
                when message.op_ts is not null and not {{ cdc._ogg_is_time('message.op_ts') }}
                    then concat('op_ts is not a date with a time: ', {{ cdc.unmarked('message.op_ts') }})
                when {{ cdc.has_repeated_column('sent_before') }} or {{ cdc.has_repeated_column('sent_after') }}
                    then 'a column name occurs twice in a row image'
                when op in ('I', 'U') and coalesce(size(new_image), 0) < 1
                    then concat('op_type ', op, ' without an after image')
                when op = 'D' and coalesce(size(old_image), 0) < 1 then 'op_type D without a before image'
                else {{ cdc.bare_number_reason(['changed_database', 'changed_schema', 'changed_table'], ['old_image', 'new_image']) }}
            end as row_error
        from imaged

    ),

    operations as (

        select
            *,
            case
                when row_error is not null then 'unknown'
                when value is null then 'tombstone'
                when op = 'I' then 'insert'
                when op = 'U' then 'update'
                when op = 'D' then 'delete'
                else 'truncate'
            end as whole_operation,
            -- nothing but a change of a row has a key
            case
                when row_error is null and op in ('I', 'U', 'D')
                    then coalesce(
                        feed_key_columns[concat_ws('.', changed_database, changed_schema, changed_table)],
                        case when size(message.primary_keys) > 0 then message.primary_keys end
                    )
            end as key_names
        from judged

    ),

    keyed as (

        select
            *,
            {{ cdc.key_values_of_either('key_names', 'new_image', 'old_image') }} as key_of_row,
            case when whole_operation = 'update' then {{ cdc.key_values('key_names', 'old_image') }} end as key_before
        from operations

    ),

    placed as (

        select
            *,
            cast(
                concat(
                    {{ cdc._ogg_number('message.csn') }},
                    {{ cdc._ogg_number('message.pos') }}
                ) as array<decimal(38, 0)>
            ) as source_position,
            case
                when size({{ cdc._ogg_number('message.csn') }}) > 0 then 'csn'
                when size({{ cdc._ogg_number('message.pos') }}) > 0 then 'pos'
            end as position_space
        from keyed

    ),

    parsed_rows as (

        select
            {{ cdc.record_columns() }},
            0 as image_index,
            whole_operation as operation,
            op as source_operation,
            {{ cdc.unknown_error('row_error', 'text', 'ogg_json') }} as error,
            cast(null as string) as source_type,
            cast(null as string) as catalog_name,
            changed_database as database_name,
            changed_schema as schema_name,
            changed_table as table_name,
            key_names as key_columns,
            key_of_row as row_key,
            key_before,
            case when cardinality(old_image) > 0 then old_image end as before_image,
            new_image as after_image,
            cardinality(old_image) > 0 and {{ cdc._ogg_has_all_columns('sent_before', 'old_image') }} as is_before_complete,
            op = 'I' and size(missing_after) < 1 or {{ cdc._ogg_has_all_columns('sent_after', 'new_image') }}
                as is_after_complete,
            missing_before as before_unavailable,
            missing_after as after_unavailable,
            cast(null as string) as schema_text,
            {{ cdc._ogg_instant('message.op_ts', "feed_settings['time_zone']") }} as changed_at,
            -- its clock is not that of op_ts
            {{ cdc._ogg_instant('message.current_ts', 'null') }} as captured_at,
            {{ cdc.unmarked('message.xid') }} as transaction_id,
            1 as phase,
            source_position as position,
            if(size(source_position) > 0, 'position', 'offset') as order_scope,
            position_space,
            cast(null as string) as snapshot_mark,
            cast(null as string) as ddl,
            'truncate' as ddl_kind
        from placed

    )

    {{ cdc.to_change_contract('parsed_rows') }}
{%- endmacro %}


{#- Columns that an image marks as not sent: {"NAME": null, "NAME_isMissing": true}. -#}
{% macro _ogg_missing_columns(sent_image) -%}
    filter(
                map_keys({{ sent_image }}),
                column_name -> lower({{ sent_image }}[concat(column_name, '_isMissing')]) <=> 'true'
            )
{%- endmacro %}


{#- The columns of an image, without those not sent and without the marks, each of which has its column beside it. -#}
{% macro _ogg_image(sent_image, missing_columns) -%}
    if(
                contains(text, '_isMissing"'),
                map_filter(
                    {{ sent_image }},
                    (column_name, wire_text) -> not array_contains({{ missing_columns }}, column_name)
                    and not coalesce(
                        endswith(column_name, '_isMissing')
                        and lower(wire_text) in ('true', 'false')
                        and map_contains_key({{ sent_image }}, left(column_name, length(column_name) - 10)),
                        false
                    )
                ),
                {{ sent_image }}
            )
{%- endmacro %}


{#- Whether an image has marks for all of its columns, and no column is missing. -#}
{% macro _ogg_has_all_columns(sent_image, image) -%}
    cardinality({{ sent_image }}) = 2 * cardinality({{ image }})
{%- endmacro %}


{#- A number, as an array of one; empty where the text is something else. -#}
{% macro _ogg_number(text) -%}
    if({{ text }} rlike '^[0-9]{1,38}$', array(cast({{ text }} as decimal(38, 0))), array())
{%- endmacro %}


{#- Spark takes a time without a date for one of today. -#}
{% macro _ogg_is_time(text) -%}
    (
                        {{ text }} rlike '^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}'
                        and try_cast({{ text }} as timestamp) is not null
                    )
{%- endmacro %}


{#- A wall clock as an instant: its own zone, else the given one; NULL without any. -#}
{% macro _ogg_instant(text, time_zone) -%}
    case
                when {{ text }} rlike '^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}'
                    then try_cast(
                        if(
                            {{ text }} rlike '(Z|[-+][0-9]{2}:?[0-9]{2})$',
                            {{ text }},
                            concat({{ text }}, ' ', {{ time_zone }})
                        ) as timestamp
                    )
            end
{%- endmacro %}
