{{ config(enabled='ogg_json' in formats_in_use()) }}

with

messages as (

    {{ new_messages('ogg_json') }}

),

changes as (

    {{ parse_ogg_json('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
