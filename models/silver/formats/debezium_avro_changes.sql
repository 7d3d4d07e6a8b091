{{ config(enabled='debezium_avro' in formats_in_use()) }}

with

messages as (

    {{ new_messages('debezium_avro') }}

),

changes as (

    {{ parse_debezium_avro('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
