{{ config(enabled='drs_json' in formats_in_use()) }}

with

messages as (

    {{ new_messages('drs_json') }}

),

changes as (

    {{ parse_drs_json('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
