{{ config(enabled='debezium_json' in cdc.formats_in_use()) }}

with

messages as (

    {{ cdc.new_messages('debezium_json') }}

),

changes as (

    {{ cdc.parse_debezium_json('messages') }}

)

select * from changes
sort by xxhash64(feed, database_name, schema_name, table_name)
