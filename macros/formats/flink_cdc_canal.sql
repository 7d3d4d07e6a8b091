{#- Flink CDC's Kafka sink, Flink SQL's format canal-json, and SeaTunnel's. One message carries one row in `data`; an update
    of Flink CDC also carries `old`, the row as it was. The others write an update as a DELETE and an INSERT.
    Surprise: no time and no type, Flink SQL names neither table nor key, and SeaTunnel's row may be in no list.
    Rules: docs/formats/flink_cdc_canal.md -#}

{% macro parse_flink_cdc_canal(messages) -%}
    with {{ cdc._canal_exact_messages(messages, cdc._canal_fields()) }},

    located as (

        select
            * except (sent_database, sent_table),
            if(
                nullif(rtrim(sent_table), '') is null,
                regexp_extract(feed_settings['table_name'], r'^(.*)\.', 1),
                sent_database
            ) as sent_database,
            if(
                nullif(rtrim(sent_table), '') is null,
                regexp_extract(feed_settings['table_name'], r'[^.]*$', 0),
                sent_table
            ) as sent_table
        from sent

    ),

    {{ cdc._canal_operations('located') }},

    operations_of_flink as (

        select
            * except (message_operation, own_error, sent_rows, is_old_whole, source_type),
            case word
                when 'INSERT' then 'insert'
                when 'UPDATE' then 'update'
                when 'DELETE' then 'delete'
            end as message_operation,
            case
                when word in ('INSERT', 'UPDATE', 'DELETE') and changed_table is null
                    then 'the message names no table: name it in the setting table_name of the feed'
            end as own_error,
            case
                -- in its spelling: what Maxwell calls insert is no row of SeaTunnel
                when data is null and old is null and source_operation in ('INSERT', 'DELETE')
                    then {{ cdc._flink_cdc_canal_row_in_no_list() }}
                else sent_rows
            end as sent_rows,
            true as is_old_whole,
            cast(null as string) as source_type
        from operations

    ),

    {{ cdc._canal_parsed_rows('operations_of_flink', 'flink_cdc_canal') }}

    {{ cdc.to_change_contract('parsed_rows') }}
{%- endmacro %}


{#- The row of a message whose `data` is an object, as a list; NULL where it is none. -#}
{% macro _flink_cdc_canal_row_in_no_list() -%}
    transform(
                    filter(
                        array(from_json(exact_text, 'data map<string, string>').data),
                        sent_row -> cardinality(sent_row) > 0
                    ),
                    sent_row -> {{ cdc.exact_numbers('sent_row', 'exact_text') }}
                )
{%- endmacro %}
