{{ config(enabled='dtle' in formats_in_use()) }}

with

messages as (

    {{ new_messages('dtle') }}

),

changes as (

    {{ parse_dtle('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
