{{ config(severity='error') }}
-- The key that a gold model declares is the one by which silver tells rows apart.
-- A wrong key of one table must not keep dbt from building the others, which all stand behind silver.changes:
-- depends_on: {{ ref('cdc_unknown_messages') }}

select
    gold_tables.model_name,
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
group by gold_tables.model_name, gold_tables.key_columns, changes.key_columns
