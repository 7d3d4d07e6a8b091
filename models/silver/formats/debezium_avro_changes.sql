{{ config(enabled='debezium_avro' in cdc.formats_in_use()) }}

with

messages as (

    {{ cdc.new_messages('debezium_avro') }}

),

changes as (

    {{ cdc.parse_debezium_avro('messages') }}

)

select * from changes
sort by xxhash64(feed, database_name, schema_name, table_name)
