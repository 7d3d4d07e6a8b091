{{ config(enabled='debezium_json' in formats_in_use()) }}

with

messages as (

    {{ new_messages('debezium_json') }}

),

changes as (

    {{ parse_debezium_json('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
