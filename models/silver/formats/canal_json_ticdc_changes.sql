{{ config(enabled='canal_json_ticdc' in formats_in_use()) }}

with

messages as (

    {{ new_messages('canal_json_ticdc') }}

),

changes as (

    {{ parse_canal_json_ticdc('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
