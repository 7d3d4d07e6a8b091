{{ config(enabled='oms_avro' in formats_in_use()) }}

with

messages as (

    {{ new_messages('oms_avro') }}

),

changes as (

    {{ parse_oms_avro('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
