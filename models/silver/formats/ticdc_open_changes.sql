{{ config(enabled='ticdc_open' in formats_in_use()) }}

with

messages as (

    {{ new_messages('ticdc_open') }}

),

changes as (

    {{ parse_ticdc_open('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
