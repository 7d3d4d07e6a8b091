{{ config(enabled='maxwell' in formats_in_use()) }}

with

messages as (

    {{ new_messages('maxwell') }}

),

changes as (

    {{ parse_maxwell('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
