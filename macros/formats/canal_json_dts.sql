{#- Aliyun DTS in Canal's envelope, with words of its own: INIT and DDL. One message carries N row images.
    Surprise: instances created before 2022-03-20 have the rows of `data` and `old` the other way round, and nothing in
    the message shows it: the feed must declare it. Rules: docs/formats/canal_json_dts.md -#}

{% macro parse_canal_json_dts(messages) -%}
    {%- set created = "feed_settings['dts_instance_created']" -%}
    {{ cdc._canal_changes(
        sent=cdc._canal_messages(messages, cdc._canal_fields()),
        format='canal_json_dts',
        is_ddl="lower(ddl_mark) = 'true' or upper(source_operation) = 'DDL'",
        message_operation="case
                when word = 'INSERT' then 'insert'
                when word = 'UPDATE' then 'update'
                when word = 'DELETE' then 'delete'
                when word = 'INIT' then 'snapshot'
                when is_ddl and kind_of_ddl = 'truncate' then 'truncate'
                when is_ddl then 'schema_change'
            end",
        reason='coalesce(
                ' ~ cdc._canal_dts_contradiction(created) ~ ',
                ' ~ cdc._canal_reason() ~ '
            )',
        rows_from="if(word in ('UPDATE', 'DELETE') and " ~ created ~ " = 'before_2022_03_20', 'old', 'data')",
        sent_rows="case
                when word not in ('UPDATE', 'DELETE') or " ~ created ~ " = 'since_2022_03_20' then data
                when word = 'UPDATE' and size(data) = size(old) then " ~ cdc._canal_dts_new_rows() ~ "
                else old
            end",
        rows_before="case
                when word = 'UPDATE' and size(data) = size(old)
                    then if(" ~ created ~ " = 'since_2022_03_20', old, data)
            end",
        foreign_text=cdc._canal_foreign_text(),
        source_type='cast(null as string)',
        is_before_complete="coalesce(
                size(array_except(
                    json_object_keys(type_text),
                    concat(map_keys(old_image), coalesce(map_keys(new_image), array()))
                )) = 0,
                false
            )"
    ) }}
{%- endmacro %}


{#- Why the feed's setting does not fit a change of rows. -#}
{% macro _canal_dts_contradiction(created) -%}
    case
                    when load_error is not null then null
                    when word not in ('UPDATE', 'DELETE') then null
                    when not coalesce({{ created }} in ('since_2022_03_20', 'before_2022_03_20'), false)
                        then concat(
                            'whether data or old is the new row depends on when the DTS instance was created: ',
                            'set dts_instance_created of the feed to since_2022_03_20 or before_2022_03_20'
                        )
                    when word = 'DELETE' and {{ created }} = 'since_2022_03_20'
                        and coalesce(size(data), 0) < 1 and size(old) > 0
                        then 'the deleted row stands in old, but dts_instance_created of the feed is since_2022_03_20'
                    when word = 'DELETE' and {{ created }} = 'before_2022_03_20'
                        and coalesce(size(old), 0) < 1 and size(data) > 0
                        then 'the deleted row stands in data, but dts_instance_created of the feed is before_2022_03_20'
                end
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
