{#- A silver table that is rebuilt has what bronze has, and no more: refused where bronze was trimmed and no longer
    holds records that the table was made from. `among` is a condition on the rows that would be rebuilt. -#}
{% macro refuse_lost_records(silver, among='true') -%}
    {%- set lost = run_query(cdc.lost_records(silver, among)) -%}
    {%- if lost.rows -%}
        {%- set first = lost.rows[0] -%}
        {{ exceptions.raise_compiler_error(
            silver ~ ' cannot be built again: bronze no longer holds ' ~ lost.rows | sum(attribute='records') ~ ' of the records that it was made from'
            ~ ' (feed ' ~ first.feed ~ ', topic ' ~ first.topic ~ ', partition ' ~ first.partition ~ ', offsets ' ~ first.from_offset
            ~ ' to ' ~ first.to_offset ~ (', and more' if lost.rows | length > 1) ~ '). Put the records back into bronze; or, to go on without'
            ~ ' them, drop ' ~ silver ~ ' and run dbt again. A gold table alone can be built again: it reads silver.'
        ) }}
    {%- endif -%}
{%- endmacro %}


{% macro lost_records(silver, among) -%}
with records as (

    select distinct
        feed,
        topic,
        topic_generation,
        partition,
        offset
    from {{ silver }}
    where {{ among }}

)

select
    records.feed,
    records.topic,
    records.partition,
    min(records.offset) as from_offset,
    max(records.offset) as to_offset,
    count(*) as records
from records
    left anti join {{ source('bronze', 'messages') }} as messages
        on
            records.feed = messages.feed
            and records.topic = messages.topic
            and records.topic_generation = messages.topic_generation
            and records.partition = messages.partition
            and records.offset = messages.offset
group by records.feed, records.topic, records.partition
order by records.feed, records.topic, records.partition
{%- endmacro %}
