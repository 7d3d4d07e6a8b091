-- Messages that no macro understood, with the reason. They stay in silver.unknown_messages.

select *
from {{ ref('unknown_messages') }}
where {{ is_unchecked() }}
