{{ config(meta={'cdc': {'findings': true}}, severity='error') }}
-- depends_on: {{ ref('cdc_changes') }}
-- Conservation: every record of bronze is in silver, once per row, and silver holds nothing else.
{%- set checked = cdc.checked_version() if execute else -1 %}

with

records as (

    select
        feed,
        topic,
        topic_generation,
        partition,
        offset,
        count(*) as record_count
    from {{ cdc.unchecked_records(checked) }}
    where feed in ({{ cdc.quoted_list(cdc.feeds()) }})
    group by feed, topic, topic_generation, partition, offset

),

changes as (

    select
        feed,
        topic,
        topic_generation,
        partition,
        offset,
        count(*) as row_count,
        count(distinct row_index) as distinct_row_count
    from {{ ref('cdc_changes') }}
    where
        bronze_version > {{ checked }}
        and feed in ({{ cdc.quoted_list(cdc.feeds()) }})
    group by feed, topic, topic_generation, partition, offset

),

compared as (

    select
        coalesce(records.feed, changes.feed) as feed,
        coalesce(records.topic, changes.topic) as topic,
        coalesce(records.topic_generation, changes.topic_generation) as topic_generation,
        coalesce(records.partition, changes.partition) as partition,
        coalesce(records.offset, changes.offset) as offset,
        case
            when changes.feed is null then 'in bronze, but not in silver'
            when records.feed is null then 'in silver, but not in bronze'
            when records.record_count > 1 then 'more than once in bronze'
            when changes.row_count > changes.distinct_row_count then 'more than once in silver'
        end as finding
    from records
        full outer join changes
            on
                records.feed = changes.feed
                and records.topic = changes.topic
                and records.topic_generation = changes.topic_generation
                and records.partition = changes.partition
                and records.offset = changes.offset

)

select
    cast(null as string) as gold_table,
    *,
    cast(null as array<string>) as row_key
from compared
where finding is not null
