-- Tables that the source has dropped, and whose rows gold keeps since their feed's on_drop is `keep`.

{%- set feeds = feeds_that_keep_dropped_tables() %}

select
    gold_tables.model_name,
    changes.feed,
    changes.topic,
    changes.partition,
    changes.offset,
    changes.ddl
from {{ ref('changes') }} as changes
    inner join {{ gold_tables() }}
        on
            changes.feed = gold_tables.feed
            and changes.table_name = gold_tables.table_name
            and changes.catalog_name <=> coalesce(gold_tables.catalog_name, changes.catalog_name)
            and changes.database_name <=> coalesce(gold_tables.database_name, changes.database_name)
            and changes.schema_name <=> coalesce(gold_tables.schema_name, changes.schema_name)
where
    changes.ddl_kind = 'drop'
    and {{ 'changes.feed in (' ~ quoted_list(feeds) ~ ')' if feeds else 'false' }}
    and {{ is_unchecked('changes') }}
