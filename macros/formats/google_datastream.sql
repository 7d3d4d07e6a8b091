{#- Google Datastream. One record carries one row; an update never says what the row was before, and one that moves its
    row to another key comes as two records at one position. Surprise: a backfill runs beside the stream, so its rows
    are older than the stream at any offset. Rules: docs/formats/google_datastream.md -#}

{% macro parse_google_datastream(messages) -%}
    with {{ cdc.exact_messages(messages, '''
                payload map<string, string>, read_method string, read_timestamp string, source_timestamp string,
                source_metadata struct<
                    `database` string, `schema` string, `table` string, collection string, change_type string, tx_id string,
                    primary_keys array<string>, replication_index array<string>,
                    log_file string, log_position string, scn string, rs_id string, ssn string, lsn string
                >''') }},

    named as (

        select
            *,
            {{ cdc.unmarked('message.read_method') }} as read_method,
            {{ cdc._datastream_engine(cdc.unmarked('message.read_method'), 'message.source_metadata') }} as engine,
            array_contains(split({{ cdc.unmarked('message.read_method') }}, '-'), 'backfill') as is_backfill,
            {{ cdc.unmarked('message.source_metadata.change_type') }} as word,
            nullif({{ cdc.unmarked('message.source_metadata.database') }}, '') as changed_database,
            nullif({{ cdc.unmarked('message.source_metadata.schema') }}, '') as changed_schema,
            nullif({{ cdc.unmarked('message.source_metadata.table') }}, '') as changed_table,
            {{ cdc.unmarked('message.read_timestamp') }} as read_time,
            {{ cdc.unmarked('message.source_timestamp') }} as source_time,
            {{ cdc.exact_numbers('message.payload', 'exact_text') }} as sent_row,
            coalesce(
                case when size(message.source_metadata.primary_keys) > 0 then message.source_metadata.primary_keys end,
                case
                    when size(message.source_metadata.replication_index) > 0
                        then message.source_metadata.replication_index
                end
            ) as sent_keys
        from decoded

    ),

    timed as (

        select
            *,
            coalesce({{ cdc.epoch_millis('read_time') }}, {{ cdc._iso_instant('read_time') }}) as read_at,
            coalesce({{ cdc.epoch_millis('source_time') }}, {{ cdc._iso_instant('source_time') }}) as source_at
        from named

    ),

    judged as (

        select
            *,
            case
                when load_error is not null then load_error
                when value is null then {{ cdc.lost_delete_reason() }}
                when message is null then {{ cdc.undecodable_reason('value', 'text') }}
                when read_method is null then 'read_method is missing'
                when word is null then 'source_metadata.change_type is missing'
                when changed_table is null and message.source_metadata.collection is not null
                    then 'a document of MongoDB: source_metadata names a collection, and only tables are read'
                when changed_table is null then 'source_metadata.table is missing'
                when read_time is not null and read_at is null
                    then concat('read_timestamp is neither an ISO time nor milliseconds: ', read_time)
                when source_time is not null and source_at is null
                    then concat('source_timestamp is neither an ISO time nor milliseconds: ', source_time)
                when word not in ('INSERT', 'UPDATE', 'UPDATE-INSERT', 'UPDATE-DELETE', 'DELETE')
                    then concat('source_metadata.change_type is not known: ', word)
                when is_backfill and word <> 'INSERT'
                    then concat('change_type ', word, ' in a backfill, which has only INSERT')
                when {{ cdc.has_repeated_column('sent_row') }} then 'a column name occurs twice in payload'
                when coalesce(cardinality(sent_row), 0) < 1
                    then concat('change_type ', word, ' without columns in payload')
                else {{ cdc.bare_number_reason(['changed_database', 'changed_schema', 'changed_table'], ['sent_row']) }}
            end as row_error
        from timed

    ),

    imaged as (

        select
            *,
            case when row_error is null and cardinality(sent_row) > 0 then sent_row end as row_image,
            word in ('UPDATE-DELETE', 'DELETE') as is_removal,
            -- nothing but a change of a row has a key
            case
                when row_error is null
                    then coalesce(
                        feed_key_columns[concat_ws('.', changed_database, changed_schema, changed_table)],
                        -- replication_index of SQL Server is written in another case than the columns
                        transform(
                            sent_keys,
                            sent_key -> coalesce(
                                get(filter(map_keys(sent_row), column_name -> column_name = sent_key), 0),
                                get(filter(map_keys(sent_row), column_name -> lower(column_name) = lower(sent_key)), 0),
                                sent_key
                            )
                        )
                    )
            end as key_names
        from judged

    ),

    operations as (

        select
            *,
            case
                when row_error is not null then 'unknown'
                when value is null then 'tombstone'
                when is_backfill then 'snapshot'
                when is_removal then 'delete'
                when word = 'UPDATE' then 'update'
                else 'insert'
            end as operation,
            case
                when is_backfill then cast(array() as array<decimal(38, 0)>)
                else {{ cdc._datastream_position('engine', 'message.source_metadata', 'word') }}
            end as source_position
        from imaged

    ),

    parsed_rows as (

        select
            {{ cdc.record_columns() }},
            0 as image_index,
            operation,
            word as source_operation,
            {{ cdc.unknown_error('row_error', 'text', 'google_datastream') }} as error,
            nullif(engine, '') as source_type,
            cast(null as string) as catalog_name,
            changed_database as database_name,
            changed_schema as schema_name,
            changed_table as table_name,
            key_names as key_columns,
            {{ cdc.key_values('key_names', 'row_image') }} as row_key,
            cast(null as array<string>) as key_before,
            case when is_removal then row_image end as before_image,
            case when not is_removal then row_image end as after_image,
            -- a removal may have the key alone, and nothing shows it
            false as is_before_complete,
            row_image is not null and not is_removal and (word = 'INSERT' or engine in ('mysql', 'oracle', 'sqlserver'))
                as is_after_complete,
            cast(null as array<string>) as before_unavailable,
            cast(null as array<string>) as after_unavailable,
            cast(null as string) as schema_text,
            source_at as changed_at,
            read_at as captured_at,
            nullif({{ cdc.unmarked('message.source_metadata.tx_id') }}, '') as transaction_id,
            if(is_backfill, 0, 1) as phase,
            source_position as position,
            if(
                not is_backfill and engine in ('mysql', 'oracle', 'postgresql', 'sqlserver'), 'position', 'offset'
            ) as order_scope,
            case
                when not is_backfill and engine = 'mysql' and size(source_position) > 0
                    then regexp_extract({{ cdc.unmarked('message.source_metadata.log_file') }}, r'^(.*)\.[0-9]+$', 1)
            end as position_space,
            case when operation = 'snapshot' then read_method end as snapshot_mark,
            cast(null as string) as ddl,
            cast(null as string) as ddl_kind
        from operations

    )

    {{ cdc.to_change_contract('parsed_rows') }}
{%- endmacro %}


{#- The source, by the first word of `read_method`; of a plain `cdc` by what its position consists of. A plain `backfill` has none. -#}
{% macro _datastream_engine(read_method, source) -%}
    case lower(split_part({{ read_method }}, '-', 1))
                when 'postgres' then 'postgresql'
                when 'backfill' then null
                when 'cdc'
                    then case
                        when {{ source }}.log_file is not null then 'mysql'
                        when {{ source }}.scn is not null then 'oracle'
                        when contains({{ source }}.lsn, '/') then 'postgresql'
                        when contains({{ source }}.lsn, ':') then 'sqlserver'
                    end
                else lower(split_part({{ read_method }}, '-', 1))
            end
{%- endmacro %}


{#- The position in the source's log, as numbers; last the rank of changes that share one: a removal wins over all but
    the second record of a key change. Empty where a part that must be there is missing. -#}
{% macro _datastream_position(engine, source, word) -%}
    case
        when {{ engine }} = 'mysql'
            and {{ source }}.log_file rlike '[.][0-9]{1,38}$' and {{ source }}.log_position rlike '^[0-9]{1,38}$'
            then array(
                cast(substring_index({{ source }}.log_file, '.', -1) as decimal(38, 0)),
                cast({{ source }}.log_position as decimal(38, 0)),
                {{ cdc._datastream_rank(word) }}
            )
        when {{ engine }} = 'oracle' and {{ source }}.scn rlike '^[0-9]{1,38}$'
            then concat(
                array(cast({{ source }}.scn as decimal(38, 0))),
                if(
                    {{ source }}.rs_id rlike '^ *0x[0-9a-fA-F]{1,15}[.][0-9a-fA-F]{1,15}[.][0-9a-fA-F]{1,15} *$',
                    {{ cdc._hexadecimal_parts("replace(trim(" ~ source ~ ".rs_id), '0x', '')", '[.]') }},
                    cast(array(-1, -1, -1) as array<decimal(38, 0)>)
                ),
                array(
                    coalesce(try_cast({{ source }}.ssn as decimal(38, 0)), -1),
                    {{ cdc._datastream_rank(word) }}
                )
            )
        when {{ engine }} = 'postgresql' and {{ source }}.lsn rlike '^[0-9a-fA-F]{1,8}/[0-9a-fA-F]{1,8}$'
            then array_append({{ cdc._hexadecimal_parts(source ~ '.lsn', '/') }}, {{ cdc._datastream_rank(word) }})
        when {{ engine }} = 'sqlserver'
            and {{ source }}.lsn rlike '^[0-9a-fA-F]{1,8}:[0-9a-fA-F]{1,8}:[0-9a-fA-F]{1,8}$'
            then array_append({{ cdc._hexadecimal_parts(source ~ '.lsn', ':') }}, {{ cdc._datastream_rank(word) }})
        else cast(array() as array<decimal(38, 0)>)
    end
{%- endmacro %}


{% macro _datastream_rank(word) -%}
    cast(
        case when {{ word }} = 'UPDATE-INSERT' then 2 when {{ word }} in ('UPDATE-DELETE', 'DELETE') then 1 else 0 end
        as decimal(38, 0)
    )
{%- endmacro %}


{% macro _hexadecimal_parts(text, separator) -%}
    transform(split({{ text }}, '{{ separator }}'), part -> cast(conv(part, 16, 10) as decimal(38, 0)))
{%- endmacro %}
