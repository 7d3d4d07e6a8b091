{{ config(enabled='ticdc_simple' in cdc.formats_in_use()) }}

with

messages as (

    {{ cdc.new_messages('ticdc_simple') }}

),

changes as (

    {{ cdc.parse_ticdc_simple('messages') }}

)

select * from changes
sort by xxhash64(feed, database_name, schema_name, table_name)
