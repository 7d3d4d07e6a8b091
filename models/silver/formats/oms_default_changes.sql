{{ config(enabled='oms_default' in formats_in_use()) }}

with

messages as (

    {{ new_messages('oms_default') }}

),

changes as (

    {{ parse_oms_default('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
