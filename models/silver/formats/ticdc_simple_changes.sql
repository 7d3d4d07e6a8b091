{{ config(enabled='ticdc_simple' in formats_in_use()) }}

with

messages as (

    {{ new_messages('ticdc_simple') }}

),

changes as (

    {{ parse_ticdc_simple('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
