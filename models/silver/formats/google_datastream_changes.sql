{{ config(enabled='google_datastream' in formats_in_use()) }}

with

messages as (

    {{ new_messages('google_datastream') }}

),

changes as (

    {{ parse_google_datastream('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
