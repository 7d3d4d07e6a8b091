{{ config(enabled='canal_json_ckafka' in cdc.formats_in_use()) }}

with

messages as (

    {{ cdc.new_messages('canal_json_ckafka') }}

),

changes as (

    {{ cdc.parse_canal_json_ckafka('messages') }}

)

select * from changes
sort by xxhash64(feed, database_name, schema_name, table_name)
