{{ config(enabled='maxwell' in cdc.formats_in_use()) }}

with

messages as (

    {{ cdc.new_messages('maxwell') }}

),

changes as (

    {{ cdc.parse_maxwell('messages') }}

)

select * from changes
sort by xxhash64(feed, database_name, schema_name, table_name)
