{{ config(enabled='cloudcanal_json' in formats_in_use()) }}

with

messages as (

    {{ new_messages('cloudcanal_json') }}

),

changes as (

    {{ parse_cloudcanal_json('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
