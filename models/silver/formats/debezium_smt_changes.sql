{{ config(enabled='debezium_smt' in formats_in_use()) }}

with

messages as (

    {{ new_messages('debezium_smt') }}

),

changes as (

    {{ parse_debezium_smt('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
