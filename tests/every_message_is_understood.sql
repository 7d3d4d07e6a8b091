{{ config(meta={'cdc': {'findings': true}}) }}
{%- do ref('cdc_changes') %}
-- Messages that no macro understood, with the reason. They stay in silver.unknown_messages.

select
    cast(null as string) as gold_table,
    *,
    cast(null as array<string>) as row_key,
    error as finding
from {{ ref('cdc_unknown_messages') }}
where
    {{ cdc.is_unchecked() }}
    and {{ cdc.has_unchecked_changes_where("operation = 'unknown'") | lower }}
