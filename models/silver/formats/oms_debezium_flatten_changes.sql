{{ config(enabled='oms_debezium_flatten' in formats_in_use()) }}

with

messages as (

    {{ new_messages('oms_debezium_flatten') }}

),

changes as (

    {{ parse_oms_debezium_flatten('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
