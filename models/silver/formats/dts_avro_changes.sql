{{ config(enabled='dts_avro' in cdc.formats_in_use()) }}

with

messages as (

    {{ cdc.new_messages('dts_avro') }}

),

changes as (

    {{ cdc.parse_dts_avro('messages') }}

)

select * from changes
sort by xxhash64(feed, database_name, schema_name, table_name)
