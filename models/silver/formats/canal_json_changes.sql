{{ config(enabled='canal_json' in formats_in_use()) }}

with

messages as (

    {{ new_messages('canal_json') }}

),

changes as (

    {{ parse_canal_json('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
