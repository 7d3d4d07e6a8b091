{{ config(enabled='debezium_cloudcanal' in formats_in_use()) }}

with

messages as (

    {{ new_messages('debezium_cloudcanal') }}

),

changes as (

    {{ parse_debezium_cloudcanal('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
