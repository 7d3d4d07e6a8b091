{#- A change that moved its row to a new key and does not carry all values: the others are under the old key. -#}
{% macro leaves_values_under_old_key(relation) -%}
    {{ relation }}.previous_row_key is not null
            and {{ cdc.names_a_row(relation ~ '.row_key') }}
            and not {{ relation }}.is_after_complete
{%- endmacro %}


{#- The key that a move left. Debezium has it in a header of an insert, whose converter may write it otherwise than the
    key's does; then silver has nulls, and the only delete at the move's position has the key. An update carries its old key:
    one with NULL named no row. -#}
{% macro key_left(moves, left_keys) -%}
    if(
                {{ moves }}.operation = 'insert'
                and cardinality({{ left_keys }}.row_keys) = 1
                and exists({{ moves }}.previous_row_key, key_part -> key_part is null),
                {{ left_keys }}.row_keys[0],
                {{ moves }}.previous_row_key
            )
{%- endmacro %}


{#- From `changes`, of those in `history`, to `moved`: the moves among them with the values that they left under the old key,
    those of its row as it was. An earlier move may have left some of these in turn, as a swap through a third key does: followed over 16
    moves. `cleared` is a relation of what cleared the table in between. `column_types` is the relation with the encodings of the
    schemas, where values are encoded: then `left_wires` has those of the values that a move left, which an older message wrote. -#}
{% macro moved_values(history, changes, cleared=none, column_types=none) -%}
    {%- set sharded = cdc.shard_parts() != [] -%}
    {%- set values = 'sent_values' if column_types else 'after_image' -%}
    left_keys as (

        select
            {%- if sharded %}
            {{ cdc.shard_of_key('row_key') }} as shard,
            {%- endif %}
            sequence.epoch,
            sequence.phase,
            sequence.position,
            collect_set(row_key) as row_keys
        from {{ history }}
        where
            operation = 'delete'
            and has_position
        group by {{ 'shard, ' if sharded }}sequence.epoch, sequence.phase, sequence.position

    ),

    moves as (

        select
            changes.* except (previous_row_key),
            {{ cdc.key_left('changes', 'left_keys') }} as previous_row_key
        from {{ history }} as changes
            left join left_keys
                on
                    changes.sequence.epoch = left_keys.epoch
                    and changes.sequence.phase = left_keys.phase
                    and changes.sequence.position = left_keys.position
                    {%- if sharded %}
                    and {{ cdc.shard_of_key('changes.row_key') }} = left_keys.shard
                    {%- endif %}
        where {{ cdc.leaves_values_under_old_key('changes') }}

    ),

    old_rows as (

        select
            moves.row_key,
            moves.sequence,
            moves.previous_row_key,
            old.sequence as old_sequence,
            old.is_deleted,
            {%- if column_types %}
            {{ cdc.sent_values('old.after_image', 'column_types.wires[column_name]') }} as sent_values,
            {%- else %}
            old.after_image,
            {%- endif %}
            old.is_after_complete,
            {{ cdc.leaves_values_under_old_key('old') }} as is_moved,
            max(if(old.is_deleted or old.is_after_complete or old.previous_row_key is not null, old.sequence, null))
                over (partition by moves.row_key, moves.sequence) as began_at
        from moves
            inner join {{ history }} as old
                on
                    moves.previous_row_key = old.row_key
                    and moves.sequence > old.sequence
            {%- if column_types %}
            left join {{ column_types }} as column_types
                on old.schema_id = column_types.schema_id
            {%- endif %}
            {%- if cleared %}
            left anti join {{ cleared }} as cleared
                on
                    cleared.row_key is null
                    and {{ cdc.reaches('cleared', 'moves') }}
                    and cleared.delete_sequence between old.sequence and moves.sequence
            {%- endif %}
        where
            -- the delete of the old key that belongs to the move ends nothing before it
            not old.is_deleted
            or old.sequence.epoch <> moves.sequence.epoch
            or old.sequence.phase <> moves.sequence.phase
            or not old.sequence.position <=> moves.sequence.position
            or coalesce(cardinality(old.sequence.position), 0) <= 0 and old.sequence.offset <> moves.sequence.offset

    ),

    left_values as (

        select
            row_key,
            sequence,
            aggregate(
                array_sort(
                    collect_list(struct(old_sequence, {{ values }})),
                    (older, newer) -> if(older.old_sequence < newer.old_sequence, -1, 1)
                ),
                cast(map() as map<string, {{ cdc.type_of_sent_value() if column_types else 'string' }}>),
                (image, newer) -> {{ cdc.overlaid('image', 'newer.' ~ values) }}
            ) as image,
            max(is_after_complete) as is_complete,
            -- where an earlier move had put it; itself where none had
            coalesce(max(if(is_moved, previous_row_key, null)), row_key) as from_key,
            coalesce(max(if(is_moved, old_sequence, null)), sequence) as from_sequence
        from old_rows
        where
            not is_deleted
            and (began_at is null or old_sequence >= began_at)
        group by row_key, sequence

    ),
    {%- for moves in [2, 4, 8, 16] %}
    {%- set nearer = 'left_values' if loop.first else 'over_' ~ loop.previtem ~ '_moves' %}

    -- each move where a later one looks for it, and where it looks for an earlier one itself
    met_over_{{ moves }}_moves as (

        select
            *,
            first_value(if(is_looked_for, struct(image, is_complete, from_key, from_sequence), null)) ignore nulls over (
                partition by if(is_looked_for, row_key, from_key), if(is_looked_for, sequence, from_sequence)
            ) as earlier
        from {{ nearer }}
            lateral view explode(array(true, false)) as is_looked_for

    ),

    over_{{ moves }}_moves as (

        select
            row_key,
            sequence,
            coalesce({{ cdc.overlaid('earlier.image', 'image') }}, image) as image,
            is_complete or coalesce(earlier.is_complete, false) as is_complete,
            earlier.from_key,
            earlier.from_sequence
        from met_over_{{ moves }}_moves
        where not is_looked_for

    ),
    {%- endfor %}

    moved as (

        select
            changes.* except (after_image, is_after_complete),
            if(
                old.image is null,
                changes.after_image,
                {{ cdc.overlaid(
                    'transform_values(old.image, (column_name, sent) -> sent.wire_text)' if column_types else 'old.image',
                    'changes.after_image'
                ) }}
            ) as after_image,
            {%- if column_types %}
            transform_values(
                map_filter(old.image, (column_name, sent) -> not map_contains_key(changes.after_image, column_name)),
                (column_name, sent) -> sent.wire
            ) as left_wires,
            {%- endif %}
            changes.is_after_complete or coalesce(old.is_complete, false) as is_after_complete
        from {{ changes }} as changes
            left join over_16_moves as old
                on
                    changes.row_key = old.row_key
                    and changes.sequence = old.sequence

    )
{%- endmacro %}
