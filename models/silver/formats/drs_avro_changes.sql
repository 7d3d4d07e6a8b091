{{ config(enabled='drs_avro' in formats_in_use()) }}

with

messages as (

    {{ new_messages('drs_avro') }}

),

changes as (

    {{ parse_drs_avro('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
