{{ config(enabled='ticdc_maxwell' in formats_in_use()) }}

with

messages as (

    {{ new_messages('ticdc_maxwell') }}

),

changes as (

    {{ parse_ticdc_maxwell('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
