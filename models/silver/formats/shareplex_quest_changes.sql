{{ config(enabled='shareplex_quest' in formats_in_use()) }}

with

messages as (

    {{ new_messages('shareplex_quest') }}

),

changes as (

    {{ parse_shareplex_quest('messages') }}

)

select * from changes
sort by feed, database_name, schema_name, table_name
