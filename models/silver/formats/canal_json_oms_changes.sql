{{ config(enabled='canal_json_oms' in formats_in_use()) }}

with

messages as (

    {{ new_messages('canal_json_oms') }}

),

changes as (

    {{ parse_canal_json_oms('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
