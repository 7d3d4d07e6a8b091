{#- What the formats of OceanBase Migration Service (OMS) share. -#}

{#- The parts of OceanBase's `tenant.database`; other sources have no tenant, and a statement's record may leave it out. -#}
{% macro _oms_tenant(database, source_type) -%}
    case
        when {{ cdc._oms_is_oceanbase(source_type) }} and {{ database }} like '%.%'
            then nullif(substring_index({{ database }}, '.', 1), '')
    end
{%- endmacro %}


{% macro _oms_database(database, source_type) -%}
    nullif(
        case
            when {{ cdc._oms_is_oceanbase(source_type) }}
                then substring({{ database }}, instr({{ database }}, '.') + 1)
            else {{ database }}
        end,
        ''
    )
{%- endmacro %}


{% macro _oms_is_oceanbase(source_type) -%}
    lower({{ source_type }}) rlike '^(ob|oceanbase)'
{%- endmacro %}


{#- How many digits of a sequence are its time. A counter has at most five, so that up to 13 digits begin with seconds
    and 16 and more with milliseconds; between them the feed must declare it. -#}
{% macro _oms_time_digits(sequence) -%}
    case
        when length({{ sequence }}) < 14 then 10
        when length({{ sequence }}) > 15 then 13
        when feed_settings['sequence_time_digits'] = '10' then 10
        else 13
    end
{%- endmacro %}


{#- A time followed by a counter, to [milliseconds, counter]; empty where the text is no such number. -#}
{% macro _oms_position(sequence, time_digits) -%}
    case
        when {{ sequence }} rlike '^[1-9][0-9]{9,18}$'
            then array(
                cast(rpad(left({{ sequence }}, {{ time_digits }}), 13, '0') as decimal(38, 0)),
                cast(concat('0', substring({{ sequence }}, {{ time_digits }} + 1)) as decimal(38, 0))
            )
        else cast(array() as array<decimal(38, 0)>)
    end
{%- endmacro %}


{#- The columns that a message names in its types or in either image. -#}
{% macro _oms_column_names(described, old_image, new_image) -%}
    array_distinct(
        concat(
            coalesce({{ described }}, array()),
            coalesce(map_keys({{ old_image }}), array()),
            coalesce(map_keys({{ new_image }}), array())
        )
    )
{%- endmacro %}


{#- Changes of Default and DefaultExtendColumnType: the second has its types in the images, as `__light_type`. -#}
{% macro _oms_default_changes(messages, format) -%}
    with {{ cdc.exact_messages(messages, '''
                prevStruct map<string, string>, postStruct map<string, string>, recordType string,
                allMetaData struct<
                    db string, table_name string, dbType string, ddlType string, record_primary_key string,
                    storeDataSequence string, source_identity string, transId string, `timestamp` string,
                    checkpoint string
                >''') }},

    named as (

        select
            *,
            {{ cdc.unmarked('message.recordType') }} as word,
            {{ cdc._oms_tenant('message.allMetaData.db', 'message.allMetaData.dbType') }} as changed_tenant,
            {{ cdc._oms_database('message.allMetaData.db', 'message.allMetaData.dbType') }} as changed_database,
            nullif(message.allMetaData.table_name, '') as changed_table,
            message.allMetaData.timestamp as event_seconds,
            message.allMetaData.storeDataSequence as store_sequence,
            {{ cdc.exact_numbers('message.prevStruct', 'exact_text') }} as sent_before,
            {{ cdc.exact_numbers('message.postStruct', 'exact_text') }} as sent_after
        from decoded

    ),

    described as (

        select
            *,
            word in ('ROW', 'INSERT', 'UPDATE', 'DELETE') as is_row_change,
            {{ cdc.without_columns('sent_before', "array('__light_type')") }} as columns_before,
            {{ cdc.without_columns('sent_after', "array('__light_type')") }} as columns_after,
            -- a statement has types too, of its text
            case
                when word in ('ROW', 'INSERT', 'UPDATE', 'DELETE')
                    then coalesce(sent_after['__light_type'], sent_before['__light_type'])
            end as type_text,
            case when word = 'DDL' then sent_after['ddl'] end as ddl_text
        from named

    ),

    {{ cdc.read_statements('described', 'ddl_text') }},

    imaged as (

        select
            *,
            -- an image without any column is none
            case when word in ('UPDATE', 'DELETE') and cardinality(columns_before) > 0 then columns_before end
                as old_image,
            case when word in ('ROW', 'INSERT', 'UPDATE') and cardinality(columns_after) > 0 then columns_after end
                as new_image,
            case
                when word <> 'DDL' then null
                when message.allMetaData.ddlType = 'TRUNCATE_TABLE' then 'truncate'
                else statement.kind
            end as kind_of_ddl
        from read_statements

    ),

    judged as (

        select
            *,
            case
                when load_error is not null then load_error
                when value is null then {{ cdc.lost_delete_reason() }}
                when message is null then {{ cdc.undecodable_reason('value', 'text') }}
                when word is null then 'recordType is missing'
                when word not in ('ROW', 'INSERT', 'UPDATE', 'DELETE', 'DDL', 'HEARTBEAT')
                    then concat('recordType is not known: ', word)
                when event_seconds is not null and try_cast(event_seconds as bigint) is null
                    then concat('allMetaData.timestamp is not a whole number: ', {{ cdc.unmarked('event_seconds') }})
                when word = 'HEARTBEAT' then null
                when word = 'DDL' and kind_of_ddl is null then 'recordType DDL without a statement in postStruct.ddl'
                when (is_row_change or kind_of_ddl = 'truncate') and changed_table is null
                    then 'allMetaData.table_name is missing'
                when word = 'DDL'
                    then {{ cdc.statement_of_table_error(
                        'kind_of_ddl', 'statement', 'ddl_text', 'changed_tenant, changed_database, changed_table'
                    ) }}
                when {{ cdc.has_repeated_column('old_image') }} or {{ cdc.has_repeated_column('new_image') }}
                    then 'a column name occurs twice in a row image'
                when word = 'DELETE' and old_image is null then 'recordType DELETE without a row in prevStruct'
                when word <> 'DELETE' and new_image is null
                    then concat('recordType ', word, ' without a row in postStruct')
                else {{ cdc.bare_number_reason(['changed_database', 'changed_table'], ['old_image', 'new_image']) }}
            end as row_error
        from imaged

    ),

    operations as (

        select
            *,
            case
                when row_error is not null then 'unknown'
                when value is null then 'tombstone'
                when word = 'ROW' then 'snapshot'
                when word = 'HEARTBEAT' then 'heartbeat'
                when kind_of_ddl = 'truncate' then 'truncate'
                when word = 'DDL' then 'schema_change'
                else lower(word)
            end as whole_operation,
            -- nothing but a change of a row has a key
            case
                when row_error is null and is_row_change
                    then coalesce(
                        feed_key_columns[concat_ws('.', changed_database, changed_table)],
                        split(nullif(message.allMetaData.record_primary_key, ''), '\u0001')
                    )
            end as key_names,
            {{ cdc._oms_time_digits('store_sequence') }} as time_digits
        from judged

    ),

    keyed as (

        select
            *,
            {{ cdc.key_values('key_names', 'coalesce(new_image, old_image)') }} as key_of_row,
            case when whole_operation = 'update' then {{ cdc.key_values('key_names', 'old_image') }} end as key_before,
            {{ cdc._oms_position('store_sequence', 'time_digits') }} as source_position,
            {{ cdc._oms_column_names('json_object_keys(type_text)', 'old_image', 'new_image') }} as column_names
        from operations

    ),

    placed as (

        select
            keyed.*,
            {{ cdc.place_of_statement('name_in_text', 'changed_database', 'cast(null as string)', 'changed_table') }} as place,
            coalesce(table_index, 0) as image_index
        from keyed
            lateral view outer posexplode(
                {{ cdc.tables_of_statement('kind_of_ddl', 'statement', 'row_error') }}
            ) as table_index, name_in_text

    ),

    parsed_rows as (

        select
            {{ cdc.record_columns() }},
            image_index,
            whole_operation as operation,
            word as source_operation,
            {{ cdc.unknown_error('row_error', 'text', format) }} as error,
            lower(nullif(message.allMetaData.dbType, '')) as source_type,
            changed_tenant as catalog_name,
            place.database_name,
            cast(null as string) as schema_name,
            place.table_name,
            key_names as key_columns,
            key_of_row as row_key,
            key_before,
            old_image as before_image,
            new_image as after_image,
            cardinality(array_except(column_names, map_keys(old_image))) = 0 as is_before_complete,
            cardinality(array_except(column_names, map_keys(new_image))) = 0 as is_after_complete,
            array_except(column_names, map_keys(old_image)) as before_unavailable,
            array_except(column_names, map_keys(new_image)) as after_unavailable,
            type_text as schema_text,
            coalesce(
                {{ cdc.epoch_seconds('event_seconds') }},
                -- up to here all has been read
                case
                    when whole_operation = 'heartbeat'
                        then {{ cdc.epoch_seconds(cdc.unmarked('message.allMetaData.checkpoint')) }}
                end
            ) as changed_at,
            cast(null as timestamp) as captured_at,
            nullif(message.allMetaData.transId, '') as transaction_id,
            if(whole_operation = 'snapshot', 0, 1) as phase,
            source_position as position,
            'position' as order_scope,
            -- in a full load it is no store
            case
                when cardinality(source_position) > 0 and word <> 'ROW'
                    then nullif(message.allMetaData.source_identity, '')
            end as position_space,
            case when whole_operation = 'snapshot' then word end as snapshot_mark,
            ddl_text as ddl,
            kind_of_ddl as ddl_kind
        from placed

    )

    {{ cdc.to_change_contract('parsed_rows') }}
{%- endmacro %}
