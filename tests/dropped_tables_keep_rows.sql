-- Rows that gold keeps though the source has them no longer: those of tables that it has dropped, where the feed's
-- on_drop is `keep`.

{%- set feeds = cdc.feeds_with('on_drop', 'keep') %}

select
    gold_tables.model_name,
    changes.feed,
    changes.topic,
    changes.partition,
    changes.offset,
    changes.ddl
from {{ ref('cdc_changes') }} as changes
    inner join {{ cdc.gold_tables() }}
        on {{ cdc.is_of_gold_table('changes') }}
where
    changes.ddl_kind = 'drop'
    and {{ 'changes.feed in (' ~ cdc.quoted_list(feeds) ~ ')' if feeds else 'false' }}
    and {{ cdc.is_unchecked('changes') }}
