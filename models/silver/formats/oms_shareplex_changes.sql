{{ config(enabled='oms_shareplex' in formats_in_use()) }}

with

messages as (

    {{ new_messages('oms_shareplex') }}

),

changes as (

    {{ parse_oms_shareplex('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
