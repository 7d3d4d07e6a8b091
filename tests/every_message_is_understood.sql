-- Messages that no macro understood, with the reason. They stay in silver.unknown_messages.

select *
from {{ ref('unknown_messages') }}
where bronze_version > {{ checked_version() if execute else -1 }}
