{{ config(enabled='ogg_json' in cdc.formats_in_use()) }}

with

messages as (

    {{ cdc.new_messages('ogg_json') }}

),

changes as (

    {{ cdc.parse_ogg_json('messages') }}

)

select * from changes
sort by xxhash64(feed, database_name, schema_name, table_name)
