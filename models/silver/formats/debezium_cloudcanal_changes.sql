{{ config(enabled='debezium_cloudcanal' in cdc.formats_in_use()) }}

with

messages as (

    {{ cdc.new_messages('debezium_cloudcanal') }}

),

changes as (

    {{ cdc.parse_debezium_cloudcanal('messages') }}

)

select * from changes
sort by xxhash64(feed, database_name, schema_name, table_name)
