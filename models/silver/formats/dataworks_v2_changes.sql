{{ config(enabled='dataworks_v2' in cdc.formats_in_use()) }}

with

messages as (

    {{ cdc.new_messages('dataworks_v2') }}

),

changes as (

    {{ cdc.parse_dataworks_v2('messages') }}

)

select * from changes
sort by xxhash64(feed, database_name, schema_name, table_name)
