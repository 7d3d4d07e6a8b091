-- Changes that a gold table with a key cannot apply since none is known for them: neither message nor Kafka key nor
-- feed names one, or the row image lacks it.

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
        on {{ is_of_gold_table('changes') }}
where
    changes.operation in ('insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before')
    and changes.row_key is null
    and size(gold_tables.key_columns) > 0
    and {{ is_unchecked('changes') }}
