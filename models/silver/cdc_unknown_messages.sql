{{ config(materialized='kept_view', enabled=cdc.feeds() | length > 0) }}

with

changes as (

    select * from {{ ref('cdc_changes') }}

),

messages as (

    select * from {{ source('bronze', 'messages') }}

),

unknown_messages as (

    select
        changes.feed,
        changes.topic,
        changes.topic_generation,
        changes.partition,
        changes.offset,
        changes.row_index,
        changes.error,
        if(messages.offset is not null, coalesce(cast(messages.value as string), ''), null) as raw_text,
        messages.value as raw_value,
        messages.key as raw_key,
        changes.message_timestamp,
        changes.load_id,
        changes.bronze_version
    from changes
        left join messages
            on
                changes.feed = messages.feed
                and changes.topic = messages.topic
                and changes.topic_generation = messages.topic_generation
                and changes.partition = messages.partition
                and changes.offset = messages.offset
    where changes.operation = 'unknown'

)

select * from unknown_messages
