{{ config(enabled='qlik_replicate' in cdc.formats_in_use()) }}

with

messages as (

    {{ cdc.new_messages('qlik_replicate') }}

),

changes as (

    {{ cdc.parse_qlik_replicate('messages') }}

)

select * from changes
sort by xxhash64(feed, database_name, schema_name, table_name)
