{{ config(tags=['thorough'], meta={'cdc': {'findings': true}}) }}
-- Changes whose order the messages leave open: two different changes of one key at one source position in several
-- partitions; where only offsets order, or a change has no position, a key in several partitions (gold shows the change
-- of the higher offset) and a table that was cleared in one of its several partitions (where only offsets order gold
-- keeps the rows of the others, else those of a higher position); a row that came to a key which another row had, as
-- in a statement that swaps keys (gold loses the row that leaves the key after that); two rows of a full load with one
-- key (gold shows the later one); rows of a full load without marks that came after changes, or have a key again,
-- which may be a full load that was started again (gold keeps what it lacks); rows that a full load which began again
-- did not send (gold has them no more); and positions that began again lower in one partition, which lose to those
-- before.
{%- set source_table = 'feed, catalog_name, database_name, schema_name, table_name' %}
{%- set questions = cdc.questions_of_order() %}
{%- set has_ties = 'ties' in questions and cdc.has_shared_positions() %}
{%- set rising = cdc.feeds_of_rising_positions() if 'positions' in questions else [] %}
{%- set marked = cdc.feeds_of_marked_loads() %}
{%- set findings = [] %}

{% if questions | reject('in', ['ties', 'positions']) | list == [] and not has_ties and not rising -%}
select 'no unchecked change can have any of these' as finding
where false
{%- else -%}
with

changes as (

    select
        *,
        struct(topic, partition, offset) as place,
        order_scope = 'offset' or size(change_sequence.position) = 0 as is_ordered_by_offset,
        {{ cdc.is_unchecked() }} as is_unchecked
    from {{ ref('cdc_changes') }} as all_changes
    where
        {{ cdc.is_of_order() }}
        and feed in ({{ cdc.quoted_list(cdc.feeds()) }})
        and {{ cdc.is_after_cut_overs('all_changes') }}

),

{% if 'wanderers' in questions or 'half_cleared' in questions or has_ties -%}
-- what new changes are compared with
last_changes as (

    select * from changes
    where {{ cdc.is_compared() }}

),

{% endif -%}
{% if 'wanderers' in questions -%}
{%- do findings.append('wanderers') %}
-- the other side of a conflict may have been checked long ago
of_keys_with_new_changes as (

    select{{ cdc.broadcast_of_few_new_changes() }}
        changes.*
    from last_changes as changes
        left semi join changes as new_changes
            on
                {{ cdc.is_same_key('changes', 'new_changes') }}
                and new_changes.is_unchecked
    where changes.is_ordered_by_offset

),

wanderers as (

    select
        feed,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        row_key,
        'the key is in several partitions' as finding,
        min(place) as first_place,
        max(place) as last_place
    from of_keys_with_new_changes
    group by {{ source_table }}, row_key
    having count(distinct topic, partition) > 1

),

{% endif -%}
{% if 'half_cleared' in questions -%}
{%- do findings.append('half_cleared') %}
half_cleared as (

    select
        feed,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        cast(null as array<string>) as row_key,
        'the table was emptied in one of several partitions' as finding,
        min(place) as first_place,
        max(place) as last_place
    from last_changes
    where table_name is not null
    group by {{ source_table }}
    having
        count(distinct topic, partition) > 1
        and count_if(row_key is null and is_ordered_by_offset) > 0
        and count_if(is_unchecked) > 0

),

{% endif -%}
{% if has_ties -%}
{%- do findings.append('ties') %}
ties as (

    select{{ cdc.broadcast_of_few_new_changes() }}
        changes.feed,
        changes.catalog_name,
        changes.database_name,
        changes.schema_name,
        changes.table_name,
        changes.row_key,
        'different changes at one position, in several partitions' as finding,
        min(changes.place) as first_place,
        max(changes.place) as last_place
    from last_changes as changes
        left semi join changes as new_changes
            on
                {{ cdc.is_same_key('changes', 'new_changes') }}
                and {{ cdc.is_same_position('changes', 'new_changes') }}
                and new_changes.is_unchecked
    where
        changes.change_sequence.phase = 1
        -- the other half of an update
        and changes.operation <> 'update_before'
    group by
        changes.feed,
        changes.catalog_name,
        changes.database_name,
        changes.schema_name,
        changes.table_name,
        changes.row_key,
        changes.position_space,
        changes.change_sequence.position
    having
        count(distinct struct(changes.operation, to_json(changes.after_image))) > 1
        -- inside one partition the offset decides
        and count(distinct struct(changes.topic, changes.partition)) > 1

),

{% endif -%}
{% if 'moves' in questions -%}
{%- do findings.append('taken_keys') %}
of_moved_keys as (

    select changes.*
    from changes
        left semi join changes as moves
            on
                {{ cdc.is_same_key('changes', 'moves') }}
                and moves.is_unchecked
                and moves.previous_row_key is not null

),

followed as (

    select
        *,
        lag(struct(place, offset, message_timestamp, change_sequence, operation)) over (
            partition by {{ source_table }}, row_key
            order by change_sequence
        ) as previous,
        -- a producer that starts again sends moves twice
        row_number() over (
            partition by {{ source_table }}, row_key, previous_row_key, changed_at
            order by change_sequence
        ) as sending
    from of_moved_keys

),

taken_keys as (

    select
        followed.feed,
        followed.catalog_name,
        followed.database_name,
        followed.schema_name,
        followed.table_name,
        followed.row_key,
        'a row came to a key that another row had' as finding,
        followed.previous.place as first_place,
        followed.place as last_place
    from followed
        left anti join {{ cdc.restarts() }}
            on {{ cdc.lies_between('restarts', 'followed.previous', 'followed') }}
    where
        followed.previous_row_key is not null
        and followed.is_unchecked
        and followed.sending = 1
        and followed.previous.operation not in ('delete', 'update_before')

),

{% endif -%}
{% if 'loads' in questions -%}
{%- do findings.extend(['loaded_twice', 'loads_started_again']) %}
keys_loaded_again as (

    select
        feed,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        row_key
    from changes
    where operation = 'snapshot'
    group by {{ source_table }}, row_key
    having
        count(*) > 1
        and count_if(is_unchecked) > 0

),

of_keys_loaded_again as (

    select
        changes.*,
        struct(
            changes.place,
            changes.offset,
            changes.message_timestamp,
            changes.change_sequence,
            changes.operation,
            to_json(changes.after_image) as image
        ) as loading
    from changes
        left semi join keys_loaded_again
            on {{ cdc.is_same_key('changes', 'keys_loaded_again') }}

),

loaded as (

    select
        *,
        lag(loading) over (
            partition by {{ source_table }}, row_key, topic, topic_generation, partition
            order by offset, row_index
        ) as previous
    from of_keys_loaded_again

),

-- what may follow each other in a partition, tables without a key too
loads_and_changes as (

    select
        feed,
        topic,
        topic_generation,
        partition,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        row_key,
        offset,
        row_index,
        operation,
        struct(topic, partition, offset) as place,
        change_sequence.phase = 0 as is_load,
        {{ cdc.cut_overs_passed('changes') }} as cut_overs_passed,
        {{ cdc.is_unchecked() }} as is_unchecked
    from {{ ref('cdc_changes') }} as changes
    where
        (
            operation in ('insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before', 'truncate')
            or operation = 'schema_change' and ddl_kind = 'drop' and change_sequence.phase > 0
        )
        {%- if marked %}
        and (order_scope = 'offset' or feed not in ({{ cdc.quoted_list(marked) }}))
        {%- endif %}
        and feed in ({{ cdc.quoted_list(cdc.feeds()) }})

),

first_changes as (

    select
        {{ source_table }},
        topic,
        topic_generation,
        partition,
        cut_overs_passed,
        operation in ('truncate', 'schema_change') as is_statement,
        min(offset) as offset
    from loads_and_changes
    where not is_load
    group by
        {{ source_table }}, topic, topic_generation, partition, cut_overs_passed,
        operation in ('truncate', 'schema_change')

),

loads as (

    select
        *,
        row_key is not null
        and row_number() over (
            partition by {{ source_table }}, row_key, topic, topic_generation, partition, cut_overs_passed
            order by offset, row_index
        ) > 1 as is_of_known_key
    from loads_and_changes
    where
        is_load
        and operation = 'snapshot'

),

loads_compared as (

    select
        loads.*,
        coalesce(loads.offset > first_changes.offset, false) as follows_changes
    from loads
        left join first_changes
            on
                loads.feed = first_changes.feed
                -- a statement may lack the tenant that the rows of its table have
                and (
                    loads.catalog_name <=> first_changes.catalog_name
                    or first_changes.catalog_name is null and first_changes.is_statement
                )
                and loads.database_name <=> first_changes.database_name
                and loads.schema_name <=> first_changes.schema_name
                and loads.table_name = first_changes.table_name
                and loads.topic = first_changes.topic
                and loads.topic_generation = first_changes.topic_generation
                and loads.partition = first_changes.partition
                and loads.cut_overs_passed = first_changes.cut_overs_passed

),

loaded_twice as (

    select
        loaded.feed,
        loaded.catalog_name,
        loaded.database_name,
        loaded.schema_name,
        loaded.table_name,
        loaded.row_key,
        'two rows of a full load have this key: are its columns the key?' as finding,
        loaded.previous.place as first_place,
        loaded.place as last_place
    from loaded
        left anti join {{ cdc.restarts() }}
            on {{ cdc.lies_between('restarts', 'loaded.previous', 'loaded') }}
        left anti join loads_compared
            on
                loaded.place = loads_compared.place
                and loads_compared.follows_changes
    where
        loaded.is_unchecked
        and loaded.operation = 'snapshot'
        and loaded.previous.operation = 'snapshot'
        -- what an incremental snapshot reads is of no full load
        and not loaded.snapshot_mark <=> 'incremental'
        -- another position is another full load
        and loaded.change_sequence.position = loaded.previous.change_sequence.position
        and loaded.loading.image <> loaded.previous.image

),

-- no message distinguishes a full load that began again from one that goes on beside the stream: gold takes it for the
-- second, which has no key twice; where it first follows changes, it may be either
loads_started_again as (

    select
        feed,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        cast(null as array<string>) as row_key,
        if(
            count_if(is_unchecked and is_of_known_key) > 0,
            'a full load brought keys again, but replaced no newer change and removed no row: was it started again?',
            'a full load came after changes, and replaced no change and removed no row: was it started again?'
        ) as finding,
        min(place) filter (where is_unchecked) as first_place,
        max(place) filter (where is_unchecked) as last_place
    from loads_compared
    where
        is_of_known_key
        or follows_changes
    group by {{ source_table }}, topic, topic_generation, partition, cut_overs_passed
    having
        count_if(is_unchecked and is_of_known_key) > 0
        or min_by(is_unchecked, offset)

),

{% endif -%}
{% if 'reloads' in questions -%}
{%- do findings.append('not_loaded_again') %}
not_loaded_again as (

    {{ cdc.rows_not_loaded_again('changes') }}

),

{% endif -%}
{% if rising -%}
{%- do findings.append('lowered') %}
-- what was checked before counts by the highest position of each of its runs of like changes
placed as (

    select
        feed,
        topic,
        topic_generation,
        partition,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        position_space,
        order_scope,
        offset,
        message_timestamp,
        change_sequence,
        place,
        true as is_new
    from changes
    where
        is_unchecked
        and order_scope = 'position'
        and change_sequence.phase = 1
        and size(change_sequence.position) > 0
        -- a row that an incremental snapshot read may carry the position of any time
        and operation <> 'snapshot'
        -- several redo threads, several shards
        and (source_type in ('oracle', 'mongodb')) is not true

    union all

    select
        feed,
        topic,
        topic_generation,
        partition,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        position_space,
        'position' as order_scope,
        to_offset as offset,
        message_timestamp,
        named_struct('phase', 1, 'position', highest_position, 'offset', to_offset, 'row_index', 0) as change_sequence,
        null as place,
        false as is_new
    from {{ ref('cdc_order_marks') }}
    where
        is_positioned
        and not is_full_load
        and not {{ cdc.is_unchecked() }}

),

compared as (

    select
        *,
        max(struct(change_sequence, offset, message_timestamp)) over (
            partition by {{ source_table }}, topic, topic_generation, partition, position_space
            order by offset, change_sequence.row_index
            rows between unbounded preceding and 1 preceding
        ) as highest
    from placed
    where feed in ({{ cdc.quoted_list(rising) }})

),

below as (

    select compared.*
    from compared
        left anti join {{ cdc.restarts() }}
            on
                {{ cdc.lies_between('restarts', 'compared.highest', 'compared') }}
                and restarts.is_full_load
    where
        compared.is_new
        and compared.change_sequence.position < compared.highest.change_sequence.position

),

-- a producer that starts again sends changes twice, at the positions that they had
sent_before as (

    select /*+ broadcast(below) */ below.place
    from changes
        inner join below
            on
                changes.feed = below.feed
                and changes.topic = below.topic
                and changes.topic_generation = below.topic_generation
                and changes.partition = below.partition
                and changes.offset < below.offset
                and {{ cdc.is_same_position('changes', 'below') }}

),

lowered as (

    select
        feed,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        cast(null as array<string>) as row_key,
        'positions began again lower, and lose: was the source restored or replaced?' as finding,
        min(place) as first_place,
        max(place) as last_place
    from below
        left anti join sent_before
            on below.place = sent_before.place
        -- a log file of more than 4 GiB, in which positions began again: the offset decides
        left anti join {{ ref('cdc_sequence_ranges') }} as ranges
            on
                below.feed = ranges.feed
                and below.topic = ranges.topic
                and below.topic_generation = ranges.topic_generation
                and below.partition = ranges.partition
                and below.table_name = ranges.table_name
                and below.database_name <=> ranges.database_name
                and below.schema_name <=> ranges.schema_name
                and below.offset between ranges.from_offset and coalesce(ranges.to_offset, below.offset)
                and get(below.change_sequence.position, 0) = ranges.inherits_in_file
    group by {{ source_table }}, topic, topic_generation, partition, position_space

),

{% endif -%}
undecided as (

    {% for found in findings -%}
    select * from {{ found }}
    {% if not loop.last %}union all
    {% endif %}
    {%- endfor %}

)

select
    {{ cdc.gold_table_of('undecided') }} as gold_table,
    undecided.feed,
    undecided.first_place.topic,
    undecided.first_place.partition,
    undecided.first_place.offset,
    undecided.row_key,
    undecided.finding,
    undecided.catalog_name,
    undecided.database_name,
    undecided.schema_name,
    undecided.table_name,
    undecided.first_place,
    undecided.last_place
from undecided
{%- endif %}
