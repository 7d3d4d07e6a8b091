{{ config(enabled='ticdc_debezium' in formats_in_use()) }}

with

messages as (

    {{ new_messages('ticdc_debezium') }}

),

changes as (

    {{ parse_ticdc_debezium('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
