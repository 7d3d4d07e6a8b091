{{ config(enabled='dts_avro' in formats_in_use()) }}

with

messages as (

    {{ new_messages('dts_avro') }}

),

changes as (

    {{ parse_dts_avro('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
