{{ config(enabled='flink_cdc_canal' in cdc.formats_in_use()) }}

with

messages as (

    {{ cdc.new_messages('flink_cdc_canal') }}

),

changes as (

    {{ cdc.parse_flink_cdc_canal('messages') }}

)

select * from changes
sort by xxhash64(feed, database_name, schema_name, table_name)
