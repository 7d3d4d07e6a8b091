{{ config(enabled='drs_avro' in cdc.formats_in_use()) }}

with

messages as (

    {{ cdc.new_messages('drs_avro') }}

),

changes as (

    {{ cdc.parse_drs_avro('messages') }}

)

select * from changes
sort by xxhash64(feed, database_name, schema_name, table_name)
