{{ config(enabled='ticdc_open' in cdc.formats_in_use()) }}

with

messages as (

    {{ cdc.new_messages('ticdc_open') }}

),

changes as (

    {{ cdc.parse_ticdc_open('messages') }}

)

select * from changes
sort by xxhash64(feed, database_name, schema_name, table_name)
