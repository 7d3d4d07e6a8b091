{#- Per key the newest change of silver is what gold shows: no older one won, no row outlived its delete or what cleared its
    table, none is missing. No row outlived a record without a value that follows it under its Kafka key: the delete between
    the two was lost, as on a compacted topic. And no other key of the table is written almost alike: bytes with zeros at
    the end, texts with blanks, numbers with zeros in front may be one key, whose changes and deletes then miss its row; decimals
    in base64 are one where they have one value. -#}
{% test newest_change_wins(model) -%}
    {{ config(meta={'cdc': {'findings': true}}) }}
    {%- do ref('cdc_sequence_ranges') -%}
    {%- set declared = cdc.tested_declaration(model, 'newest_change_wins', 'current_state') if execute else {} -%}
    {%- set silver = cdc.silver_of(declared) if execute else model -%}
    {%- set plan = {'has_ranges': cdc.has_ranges(declared) if execute else true} -%}
    {%- if not cdc.has_unchecked_changes() %}
    select 'nothing new since the last check' as finding where false
    {%- else %}
    {%- set has_tombstones = cdc.has_unchecked_tombstones(silver) %}
    {%- set scaled = cdc.scaled_columns_of_key(declared) if execute else {} %}
    with unchecked as (

        {{ cdc.unchecked_changes(model) if execute else 'select 1' }}

    ),

    ordered as (

        select
            changes.* except (row_key),
            {{ cdc.gold_key_column('changes', declaration=declared) }},
            {{ cdc.gold_sequence('changes', plan, declared) }} as gold_sequence
        from unchecked as changes
        {{- cdc.join_ranges('changes', plan) }}
        {{- cdc.join_types_of_key('changes', declared) if execute }}

    ),

    not_superseded as (

        select ordered.*
        from ordered
            left anti join {{ cdc.state_of(model) }} as deletes
                on
                    ordered.row_key = deletes.row_key
                    and ordered.gold_sequence < deletes.delete_sequence
            left anti join {{ cdc.state_of(model) }} as cleared
                on
                    cleared.row_key is null
                    and {{ cdc.reaches('cleared', 'ordered', declared) }}
                    and ordered.gold_sequence < cleared.delete_sequence
        where {{ cdc.names_a_row('ordered.row_key') }}

    ),

    newest as (

        select
            row_key,
            max(gold_sequence) as gold_sequence,
            max_by(
                struct(operation in ('delete', 'update_before') as is_deleted, topic, partition, offset, schema_id),
                gold_sequence
            ) as change
        from not_superseded
        group by row_key

    ),

    compared as (

        select
            newest.row_key,
            newest.change.topic,
            newest.change.partition,
            newest.change.offset,
            case
                when newest.change.is_deleted and current._change.sequence <= newest.gold_sequence
                    then 'the row outlived its delete'
                when not newest.change.is_deleted and current._change.sequence < newest.gold_sequence
                    then 'an older change won'
                when not newest.change.is_deleted and current._change is null
                    then 'the row is missing'
            end as finding
        from newest
            left join {{ model }} as current
                on newest.row_key = current._change.row_key

    ),

    keys_of_gold as (

        select
            _change.row_key,
            _change.topic,
            _change.partition,
            _change.sequence.offset
        from {{ model }}

        union all

        select
            row_key,
            topic,
            delete_sequence.partition,
            delete_sequence.offset
        from {{ cdc.state_of(model) }}
        where
            row_key is not null
            and delete_sequence is not null

    ),

    in_two_forms as (

        select
            newest.row_key,
            newest.change.topic,
            newest.change.partition,
            newest.change.offset,
            min(struct(keys_of_gold.partition, keys_of_gold.offset, keys_of_gold.row_key, keys_of_gold.topic)) as other
        from newest
            inner join keys_of_gold
                on
                    {{ cdc.key_without_padding('newest.row_key', declared, scaled) if execute else 'newest.row_key' }}
                    = {{ cdc.key_without_padding('keys_of_gold.row_key', declared, scaled) if execute else 'newest.row_key' }}
                    and newest.row_key <> keys_of_gold.row_key
        group by newest.row_key, newest.change

    ),

    {%- if scaled %}

    valued as (

        select
            newest.row_key,
            {%- for name, value in cdc.values_of_key('newest.row_key', declared, scaled).items() %}
            {{ value }} as {{ cdc.identifier('value_of_' ~ name) }},
            {%- endfor %}
            newest.gold_sequence,
            newest.change
        from newest
        {%- for source, form in scaled.items() if form.schemas_as %}
            left join {{ cdc.silver_relation('schemas') }} as {{ form.schemas_as }}
                on
                    {{ form.schemas_as }}.format = {{ cdc.quoted(cdc.feed_settings(declared.feed).format) }}
                    and {{ form.schemas_as }}.schema_id = newest.change.schema_id
                    and {{ form.schemas_as }}.column_name = {{ cdc.quoted(source) }}
        {%- endfor %}

    ),

    -- a decimal in base64 has another text after a change of its scale, or where a message writes it bare
    in_two_scales as (

        select
            valued.row_key,
            valued.change.topic,
            valued.change.partition,
            valued.change.offset,
            min(current._change.row_key) as other
        from valued
            inner join {{ model }} as current
                on
                    valued.row_key <> current._change.row_key
                    -- a row that came after the delete is another one
                    and (not valued.change.is_deleted or valued.gold_sequence > current._change.sequence)
                    {%- for name in declared.key %}
                    and valued.{{ cdc.identifier('value_of_' ~ name) }} = current.{{ cdc.identifier(name) }}
                    {%- endfor %}
        group by valued.row_key, valued.change

    ),
    {%- endif %}

    clearings as (

        select
            {{ cdc.reach_columns('ordered') }},
            {%- if cdc.shard_parts(declared) %}
            {{ cdc.shard_of('ordered', declared) }} as shard,
            {%- endif %}
            gold_sequence as delete_sequence,
            struct(
                topic,
                partition,
                offset,
                if(operation = 'truncate', 'TRUNCATE', 'DROP') as statement
            ) as clearing
        from ordered
        where
            {{ cdc.clears_the_table('ordered', declared) if execute else 'true' }}

    ),

    outlived as (

        select
            current._change.row_key,
            max_by(clearings.clearing, clearings.delete_sequence) as clearing
        from {{ model }} as current
            inner join clearings
                on
                    current._change.sequence < clearings.delete_sequence
                    and {{ cdc.reaches('clearings', 'current._change', declared) }}
        group by current._change.row_key

    )
    {%- if has_tombstones %},

    keyed as (

        select
            {{ cdc.declared_key('changes', 'row_key', declared) }} as source_key,
            {{ cdc.kafka_key('changes', declared) }} as kafka_key,
            changes.topic,
            changes.topic_generation,
            changes.partition,
            changes.offset,
            changes.operation,
            {{ cdc.is_unchecked('changes') }} as is_unchecked
        from {{ silver }} as changes
        {{- cdc.join_types_of_key('changes', declared) }}
        {{- cdc.join_kafka_keys('changes', silver, declared) }}
        where
            changes.feed = {{ cdc.quoted(declared.feed) }}
            and {{ cdc.names_a_row('changes.row_key') }}

    ),

    tombstones as (

        select *
        from keyed
        where
            operation = 'tombstone'
            and is_unchecked

    ),

    -- a tombstone carries no types: where gold decodes the key, its text is that of the change that made the row
    tombstoned as (

        select
            current._change.row_key,
            row_changes.source_key,
            row_changes.offset as row_offset,
            tombstones.topic,
            tombstones.topic_generation,
            tombstones.partition,
            tombstones.offset
        from tombstones
            inner join keyed as row_changes
                on
                    tombstones.kafka_key = row_changes.kafka_key
                    and tombstones.topic = row_changes.topic
                    and tombstones.topic_generation = row_changes.topic_generation
                    and tombstones.partition = row_changes.partition
                    and tombstones.offset > row_changes.offset
            inner join {{ model }} as current
                on
                    row_changes.source_key = {{ cdc.source_part_of_key('current._change.row_key', declared) }}
                    and row_changes.topic = current._change.topic
                    and row_changes.partition = current._change.partition
                    and row_changes.offset = current._change.sequence.offset
        where row_changes.operation <> 'tombstone'

    ),

    -- a tombstone belongs to the change before it: a delete, unless that was lost. One that is sent again, or late, belongs
    -- to an older one
    left_over as (

        select
            tombstoned.row_key,
            max_by(struct(tombstoned.topic, tombstoned.partition, tombstoned.offset), tombstoned.offset) as tombstone
        from tombstoned
            left anti join keyed
                on
                    tombstoned.topic = keyed.topic
                    and tombstoned.topic_generation = keyed.topic_generation
                    and tombstoned.partition = keyed.partition
                    and tombstoned.source_key = keyed.source_key
                    and keyed.operation <> 'tombstone'
                    and keyed.offset > tombstoned.row_offset
                    and keyed.offset < tombstoned.offset
        group by tombstoned.row_key

    )
    {%- endif %}

    select
        row_key,
        topic,
        partition,
        offset,
        finding
    from compared
    where finding is not null
    union all
    select
        row_key,
        topic,
        partition,
        offset,
        concat(
            'this key and ', to_json(other.row_key), coalesce(concat(' of topic ', other.topic), ''), ', partition ', other.partition,
            ', offset ', other.offset, ' differ in zeros or blanks alone: are they one? Where bytes are cut, give their encoding its length'
        ) as finding
    from in_two_forms
    union all
    {%- if scaled %}
    select
        row_key,
        topic,
        partition,
        offset,
        concat('this key and ', to_json(other), ' are one value, written with two scales: the change missed the row of the other') as finding
    from in_two_scales
    union all
    {%- endif %}
    select
        row_key,
        clearing.topic,
        clearing.partition,
        clearing.offset,
        concat('the row outlived the ', clearing.statement, ' of its table') as finding
    from outlived
    {%- if has_tombstones %}
    union all
    select
        row_key,
        tombstone.topic,
        tombstone.partition,
        tombstone.offset,
        'the row outlived its tombstone, whose delete was lost: was the topic compacted?' as finding
    from left_over
    {%- endif %}
    {%- endif %}
{%- endtest %}
