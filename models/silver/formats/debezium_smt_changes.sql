{{ config(enabled='debezium_smt' in cdc.formats_in_use()) }}

with

messages as (

    {{ cdc.new_messages('debezium_smt') }}

),

changes as (

    {{ cdc.parse_debezium_smt('messages') }}

)

select * from changes
sort by xxhash64(feed, database_name, schema_name, table_name)
