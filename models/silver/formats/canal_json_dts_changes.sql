{{ config(enabled='canal_json_dts' in cdc.formats_in_use()) }}

with

messages as (

    {{ cdc.new_messages('canal_json_dts') }}

),

changes as (

    {{ cdc.parse_canal_json_dts('messages') }}

)

select * from changes
sort by xxhash64(feed, database_name, schema_name, table_name)
