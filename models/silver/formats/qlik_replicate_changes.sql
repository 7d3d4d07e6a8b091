{{ config(enabled='qlik_replicate' in formats_in_use()) }}

with

messages as (

    {{ new_messages('qlik_replicate') }}

),

changes as (

    {{ parse_qlik_replicate('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
