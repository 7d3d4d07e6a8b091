{{ config(enabled='dataworks_v2' in formats_in_use()) }}

with

messages as (

    {{ new_messages('dataworks_v2') }}

),

changes as (

    {{ parse_dataworks_v2('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
