{{ config(enabled='google_datastream' in cdc.formats_in_use()) }}

with

messages as (

    {{ cdc.new_messages('google_datastream') }}

),

changes as (

    {{ cdc.parse_google_datastream('messages') }}

)

select * from changes
sort by xxhash64(feed, database_name, schema_name, table_name)
