{{ config(enabled='shareplex_quest' in cdc.formats_in_use()) }}

with

messages as (

    {{ cdc.new_messages('shareplex_quest') }}

),

changes as (

    {{ cdc.parse_shareplex_quest('messages') }}

)

select * from changes
sort by xxhash64(feed, database_name, schema_name, table_name)
