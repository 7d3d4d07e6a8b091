{{ config(meta={'cdc': {'findings': true}}) }}
-- Changes of rows without a key: neither message nor Kafka key nor feed names one, or the row image lacks it. A gold
-- table or history with a key cannot apply them: each is a row here. Of a table without one, which would need
-- key_columns in the feed or current_rows, the first one is a row, with how many there are. And records without a value
-- that follow no delete, in feeds whose key_columns replace a Kafka key that is not read: no row can be found by them.
{%- if not cdc.has_unchecked_changes() %}

select 'nothing new since the last check' as finding
where false
{%- else %}
{%- set keyed_feeds = cdc.feeds_with_keys() %}
{%- set is_without_key = "operation = 'tombstone' and row_key is null" %}
{%- set may_lack_deletes = keyed_feeds and cdc.has_unchecked_changes_where(is_without_key) %}

with

keyless as (

    select changes.*
    from {{ ref('cdc_changes') }} as changes
    where
        changes.operation in ('insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before')
        and ({{ cdc.names_a_row('changes.row_key') }}) is not true
        and {{ cdc.is_unchecked('changes') }}

),

of_models as (

    select
        gold_tables.model_name as gold_table,
        keyless.feed,
        keyless.catalog_name,
        keyless.database_name,
        keyless.schema_name,
        keyless.table_name,
        keyless.topic,
        keyless.partition,
        keyless.offset,
        keyless.row_index,
        keyless.operation,
        keyless.key_columns,
        1 as change_count
    from keyless
        inner join {{ cdc.gold_tables() }}
            on {{ cdc.is_of_gold_table('keyless') }}
    where size(gold_tables.key_columns) > 0

),

without_model as (

    select
        cast(null as string) as gold_table,
        feed,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        min(struct(topic, partition, offset, row_index, operation, key_columns)) as first_change,
        count(*) as change_count
    from keyless
        left anti join {{ cdc.gold_tables() }}
            on {{ cdc.is_of_gold_table('keyless') }}
    group by
        feed,
        catalog_name,
        database_name,
        schema_name,
        table_name

),

first_of_each as (

    select * from of_models
    union all
    select
        gold_table,
        feed,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        first_change.topic,
        first_change.partition,
        first_change.offset,
        first_change.row_index,
        first_change.operation,
        first_change.key_columns,
        change_count
    from without_model

)
{%- if may_lack_deletes %},

-- a producer sends a delete and the record without a value one after the other; a mark of Kafka's may be between them
lost_deletes as (

    select tombstones.*
    from {{ ref('cdc_changes') }} as tombstones
        left anti join {{ ref('cdc_changes') }} as deletes
            on
                tombstones.feed = deletes.feed
                and tombstones.topic = deletes.topic
                and tombstones.topic_generation = deletes.topic_generation
                and tombstones.partition = deletes.partition
                and deletes.offset between tombstones.offset - 2 and tombstones.offset - 1
                and deletes.operation in ('delete', 'unknown')
    where
        tombstones.operation = 'tombstone'
        and tombstones.row_key is null
        and tombstones.feed in ({{ cdc.quoted_list(keyed_feeds) }})
        and {{ cdc.is_unchecked('tombstones') }}

)
{%- endif %}

select
    first_of_each.*,
    cast(null as array<string>) as row_key,
    if(
        gold_table is null,
        concat(
            concat_ws('.', database_name, schema_name, table_name),
            ' has changes without a key: name key_columns in the feed, or make a model of current_rows'
        ),
        'the change has no key, and gold does not apply it: name key_columns in the feed'
    ) as finding
from first_of_each
{%- if may_lack_deletes %}
union all
select
    cast(null as string) as gold_table,
    feed,
    catalog_name,
    database_name,
    schema_name,
    table_name,
    topic,
    partition,
    offset,
    row_index,
    operation,
    key_columns,
    1 as change_count,
    cast(null as array<string>) as row_key,
    'a record without a value follows no delete, and its Kafka key is not read: '
    || 'if a compacted topic has lost the delete, the row is still in gold' as finding
from lost_deletes
{%- endif %}
{%- endif %}
