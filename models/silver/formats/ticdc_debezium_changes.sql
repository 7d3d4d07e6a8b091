{{ config(enabled='ticdc_debezium' in cdc.formats_in_use()) }}

with

messages as (

    {{ cdc.new_messages('ticdc_debezium') }}

),

changes as (

    {{ cdc.parse_ticdc_debezium('messages') }}

)

select * from changes
sort by xxhash64(feed, database_name, schema_name, table_name)
