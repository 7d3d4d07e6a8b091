-- Messages that no macro understood, with the reason. They stay in silver.unknown_messages.

select *
from {{ ref('cdc_unknown_messages') }}
where {{ cdc.is_unchecked() }}
