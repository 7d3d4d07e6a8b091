{{ config(enabled='aws_dms' in cdc.formats_in_use()) }}

with

messages as (

    {{ cdc.new_messages('aws_dms') }}

),

changes as (

    {{ cdc.parse_aws_dms('messages') }}

)

select * from changes
sort by xxhash64(feed, database_name, schema_name, table_name)
