{{ config(enabled='ticdc_maxwell' in cdc.formats_in_use()) }}

with

messages as (

    {{ cdc.new_messages('ticdc_maxwell') }}

),

changes as (

    {{ cdc.parse_ticdc_maxwell('messages') }}

)

select * from changes
sort by xxhash64(feed, database_name, schema_name, table_name)
