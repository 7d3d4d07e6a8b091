{{ config(meta={'cdc': {'findings': true}}, severity='error') }}
-- depends_on: {{ ref('cdc_changes') }}
-- Conservation: every record of bronze is in silver, once per row, and silver holds nothing else. Where all of it is
-- compared, bronze may have been trimmed: what is older than all that it holds of a partition is in silver alone.
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

),
{%- if checked < 0 %}

oldest_records as (

    select
        feed,
        topic,
        topic_generation,
        partition,
        min(offset) as oldest_offset
    from {{ cdc.unchecked_records(checked) }}
    group by feed, topic, topic_generation, partition

),

findings as (

    select compared.*
    from compared
        left join oldest_records
            on
                compared.feed = oldest_records.feed
                and compared.topic = oldest_records.topic
                and compared.topic_generation = oldest_records.topic_generation
                and compared.partition = oldest_records.partition
    where
        compared.finding is not null
        and (compared.finding <> 'in silver, but not in bronze' or compared.offset >= oldest_records.oldest_offset)

)
{%- else %}

findings as (

    select *
    from compared
    where finding is not null

)
{%- endif %}

select
    cast(null as string) as gold_table,
    *,
    cast(null as array<string>) as row_key
from findings
