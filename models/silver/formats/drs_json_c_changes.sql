{{ config(enabled='drs_json_c' in cdc.formats_in_use()) }}

with

messages as (

    {{ cdc.new_messages('drs_json_c') }}

),

changes as (

    {{ cdc.parse_drs_json_c('messages') }}

)

select * from changes
sort by xxhash64(feed, database_name, schema_name, table_name)
