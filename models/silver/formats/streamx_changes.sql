{{ config(enabled='streamx' in formats_in_use()) }}

with

messages as (

    {{ new_messages('streamx') }}

),

changes as (

    {{ parse_streamx('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
