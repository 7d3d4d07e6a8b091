{{ config(enabled='flink_cdc_canal' in formats_in_use()) }}

with

messages as (

    {{ new_messages('flink_cdc_canal') }}

),

changes as (

    {{ parse_flink_cdc_canal('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
