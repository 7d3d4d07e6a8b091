{{ config(enabled='canal_json_oms' in cdc.formats_in_use()) }}

with

messages as (

    {{ cdc.new_messages('canal_json_oms') }}

),

changes as (

    {{ cdc.parse_canal_json_oms('messages') }}

)

select * from changes
sort by xxhash64(feed, database_name, schema_name, table_name)
