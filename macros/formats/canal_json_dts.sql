{#- Aliyun DTS in Canal's envelope, with words of its own: INIT and DDL. One message carries N row images.
    Surprise: instances created before 2022-03-20 have the rows of `data` and `old` the other way round, and nothing in
    the message shows it: the feed must declare it. Rules: docs/formats/canal_json_dts.md -#}

{% macro parse_canal_json_dts(messages) -%}
    with {{ cdc._canal_messages(messages, cdc._canal_fields()) }},

    sent_by_dts as (

        select
            * except (ddl_mark),
            -- a statement may be marked by its type alone
            if(
                upper(source_operation) = 'DDL' and coalesce(lower(ddl_mark) = 'false', true), 'true', ddl_mark
            ) as ddl_mark,
            feed_settings['dts_instance_created'] as instance_created
        from sent

    ),

    {{ cdc._canal_operations('sent_by_dts') }},

    operations_of_dts as (

        select
            * except (message_operation, own_error, rows_from, sent_rows, rows_before, source_type),
            case
                when word = 'INSERT' then 'insert'
                when word = 'UPDATE' then 'update'
                when word = 'DELETE' then 'delete'
                when word = 'INIT' then 'snapshot'
                when is_ddl and kind_of_ddl = 'truncate' then 'truncate'
                when is_ddl then 'schema_change'
            end as message_operation,
            case
                when word not in ('UPDATE', 'DELETE') then null
                when not coalesce(instance_created in ('since_2022_03_20', 'before_2022_03_20'), false)
                    then concat(
                        'whether data or old is the new row depends on when the DTS instance was created: ',
                        'set dts_instance_created of the feed to since_2022_03_20 or before_2022_03_20'
                    )
                when word = 'DELETE' and instance_created = 'since_2022_03_20'
                    and coalesce(size(data), 0) < 1 and size(old) > 0
                    then 'the deleted row stands in old, but dts_instance_created of the feed is since_2022_03_20'
                when word = 'DELETE' and instance_created = 'before_2022_03_20'
                    and coalesce(size(old), 0) < 1 and size(data) > 0
                    then 'the deleted row stands in data, but dts_instance_created of the feed is before_2022_03_20'
            end as own_error,
            if(word in ('UPDATE', 'DELETE') and instance_created = 'before_2022_03_20', 'old', 'data') as rows_from,
            case
                when word not in ('UPDATE', 'DELETE') or instance_created = 'since_2022_03_20' then data
                when word = 'UPDATE' and size(data) = size(old) then {{ cdc._canal_dts_new_rows() }}
                else old
            end as sent_rows,
            case
                when word = 'UPDATE' and size(data) = size(old)
                    then if(instance_created = 'since_2022_03_20', old, data)
            end as rows_before,
            cast(null as string) as source_type
        from operations

    ),

    {{ cdc._canal_parsed_rows('operations_of_dts', 'canal_json_dts') }},

    completed_rows as (

        select
            * except (is_before_complete),
            is_before_complete
            -- of all columns whose types the message has
            and coalesce(
                size(array_except(
                    json_object_keys(schema_text),
                    concat(map_keys(before_image), coalesce(map_keys(after_image), array()))
                )) = 0,
                false
            ) as is_before_complete
        from parsed_rows

    )

    {{ cdc.to_change_contract('completed_rows') }}
{%- endmacro %}


{% macro canal_json_dts_row_before(relation) -%}
    {{ cdc.row_before_by_changed_columns(relation) }}
{%- endmacro %}


{#- The new rows where `data` has the rows before: complete also where `old` has only the changed columns. -#}
{% macro _canal_dts_new_rows() -%}
    zip_with(
                    data,
                    old,
                    (row_before, new_values) -> case
                        when coalesce(size(new_values), 0) < 1 then null
                        when coalesce(size(row_before), 0) < 1
                            -- would get lost here; the row is reported below
                            or {{ cdc.has_repeated_column('row_before') }} or {{ cdc.has_repeated_column('new_values') }}
                            then new_values
                        else {{ cdc.overlaid('row_before', 'new_values') }}
                    end
                )
{%- endmacro %}
