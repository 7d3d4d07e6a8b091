{{ config(enabled='flink_cdc_debezium' in formats_in_use()) }}

with

messages as (

    {{ new_messages('flink_cdc_debezium') }}

),

changes as (

    {{ parse_flink_cdc_debezium('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
