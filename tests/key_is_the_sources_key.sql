{{ config(meta={'cdc': {'findings': true}}, severity='error') }}
-- The key that a gold model declares is the one by which silver distinguishes rows.
-- A wrong key of one table must not keep dbt from building the others, which all depend on silver.changes:
-- depends_on: {{ ref('cdc_unknown_messages') }}

with

other_keys as (

    select
        gold_tables.model_name,
        gold_tables.feed,
        gold_tables.key_columns as declared_key,
        changes.key_columns as source_key,
        count(*) as change_count,
        min(struct(changes.topic, changes.partition, changes.offset)) as first_place
    from {{ ref('cdc_changes') }} as changes
        inner join {{ cdc.gold_tables() }}
            on {{ cdc.is_of_gold_table('changes') }}
    where
        changes.operation in ('insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before')
        and not array_sort(coalesce(changes.key_columns, array())) = array_sort(gold_tables.key_columns)
        and {{ cdc.is_unchecked('changes') }}
    group by gold_tables.model_name, gold_tables.feed, gold_tables.key_columns, changes.key_columns

)

select
    model_name as gold_table,
    feed,
    first_place.topic,
    first_place.partition,
    first_place.offset,
    cast(null as array<string>) as row_key,
    concat(
        'the model declares the key ', array_join(declared_key, ', '), ', and the messages name ',
        coalesce(array_join(source_key, ', '), 'none')
    ) as finding,
    declared_key,
    source_key,
    change_count
from other_keys
