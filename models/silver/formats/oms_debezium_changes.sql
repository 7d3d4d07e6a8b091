{{ config(enabled='oms_debezium' in formats_in_use()) }}

with

messages as (

    {{ new_messages('oms_debezium') }}

),

changes as (

    {{ parse_oms_debezium('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
