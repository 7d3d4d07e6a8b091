{{ config(enabled='aws_dms' in formats_in_use()) }}

with

messages as (

    {{ new_messages('aws_dms') }}

),

changes as (

    {{ parse_aws_dms('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
