{{ config(enabled='streamx' in cdc.formats_in_use()) }}

with

messages as (

    {{ cdc.new_messages('streamx') }}

),

changes as (

    {{ cdc.parse_streamx('messages') }}

)

select * from changes
sort by xxhash64(feed, database_name, schema_name, table_name)
