{{ config(enabled='oms_default_ext' in formats_in_use()) }}

with

messages as (

    {{ new_messages('oms_default_ext') }}

),

changes as (

    {{ parse_oms_default_ext('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
