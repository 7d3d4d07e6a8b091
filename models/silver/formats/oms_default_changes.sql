{{ config(enabled='oms_default' in cdc.formats_in_use()) }}

with

messages as (

    {{ cdc.new_messages('oms_default') }}

),

changes as (

    {{ cdc.parse_oms_default('messages') }}

)

select * from changes
sort by xxhash64(feed, database_name, schema_name, table_name)
