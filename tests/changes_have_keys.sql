-- Changes that gold cannot apply since no key is known for them: neither message nor Kafka key nor feed names one, or
-- the row image lacks it.

select
    gold_tables.model_name,
    changes.feed,
    changes.topic,
    changes.partition,
    changes.offset,
    changes.row_index,
    changes.operation,
    changes.key_columns
from {{ ref('changes') }} as changes
    inner join {{ gold_tables() }}
        on
            changes.feed = gold_tables.feed
            and changes.table_name = gold_tables.table_name
            and changes.catalog_name <=> coalesce(gold_tables.catalog_name, changes.catalog_name)
            and changes.database_name <=> coalesce(gold_tables.database_name, changes.database_name)
            and changes.schema_name <=> coalesce(gold_tables.schema_name, changes.schema_name)
where
    changes.operation in ('insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before')
    and changes.row_key is null
    and {{ is_unchecked('changes') }}
