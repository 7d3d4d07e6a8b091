{{ config(enabled='oms_shareplex' in cdc.formats_in_use()) }}

with

messages as (

    {{ cdc.new_messages('oms_shareplex') }}

),

changes as (

    {{ cdc.parse_oms_shareplex('messages') }}

)

select * from changes
sort by xxhash64(feed, database_name, schema_name, table_name)
