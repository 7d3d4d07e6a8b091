{{ config(enabled='dtle' in cdc.formats_in_use()) }}

with

messages as (

    {{ cdc.new_messages('dtle') }}

),

changes as (

    {{ cdc.parse_dtle('messages') }}

)

select * from changes
sort by xxhash64(feed, database_name, schema_name, table_name)
