{{ config(enabled='oms_debezium_flatten' in cdc.formats_in_use()) }}

with

messages as (

    {{ cdc.new_messages('oms_debezium_flatten') }}

),

changes as (

    {{ cdc.parse_oms_debezium_flatten('messages') }}

)

select * from changes
sort by xxhash64(feed, database_name, schema_name, table_name)
