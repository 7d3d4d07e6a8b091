{#- What deletes keys: per key its newest delete, and the newest TRUNCATE, DROP, full load or cut-over as a row without a key, for
    the whole table (or shard) where positions order, for one topic and partition where only offsets do. -#}
{% macro deletes_of_changes(plan) -%}
    {%- set with_moves = plan.new_changes.get('moves', 0) > 0 -%}
    {%- set sharded = cdc.shard_parts() != [] -%}
    {%- set has_loads_again = cdc.has_full_loads_again(plan) -%}
    with
    {%- if has_loads_again %}

    full_loads as (

        {{ cdc.full_loads_again(plan) }}

    ),
    {%- endif %}
    {%- if with_moves %}

    moves as (

        select
            {{ cdc.gold_key_column('changes') }},
            {{ cdc.gold_key_column('changes', 'previous_row_key') }},
            changes.operation,
            {{ cdc.gold_sequence('changes', plan) }} as sequence
        from {{ ref(model.config.meta.silver) }} as changes
            {{- cdc.join_ranges('changes', plan) }}
            {{- cdc.join_types_of_key('changes') }}
        where
            {{ cdc.is_of_run('changes', plan) }}
            and {{ cdc.leaves_values_under_old_key('changes') }}

    ),

    left_keys as (

        select
            {%- if sharded %}
            {{ cdc.shard_of('changes') }} as shard,
            {%- endif %}
            changes.change_sequence.position,
            collect_set({{ cdc.gold_key('changes') }}) as row_keys
        from {{ ref(model.config.meta.silver) }} as changes
            {{- cdc.join_types_of_key('changes') }}
            left semi join moves
                on
                    changes.change_sequence.position = moves.sequence.position
                    {%- if sharded %}
                    and {{ cdc.shard_of('changes') }} = {{ cdc.shard_of_key('moves.row_key') }}
                    {%- endif %}
        where
            {{ cdc.of_this_table('changes') }}
            and changes.operation = 'delete'
            and {{ cdc.names_a_row('changes.row_key') }}
            and size(changes.change_sequence.position) > 0
        group by {{ 'shard, ' if sharded }}changes.change_sequence.position

    ),
    {%- endif %}

    deletes as (

        select
            {{ cdc.gold_key_column('changes') }},
            {%- if sharded %}
            if(changes.row_key is null, {{ cdc.shard_of('changes') }}, null) as shard,
            {%- endif %}
            {{ cdc.reach_columns('changes') }},
            changes.operation,
            {{ cdc.gold_sequence('changes', plan) }} as sequence,
            cast(null as {{ cdc.sequence_type() }}) as moved_sequence
        from {{ ref(model.config.meta.silver) }} as changes
            {{- cdc.join_ranges('changes', plan) }}
            {{- cdc.join_types_of_key('changes') }}
        where
            {{ cdc.is_of_run('changes', plan) }}
            and (
                changes.operation in ('delete', 'update_before') and {{ cdc.names_a_row('changes.row_key') }}
                or {{ cdc.clears_the_table('changes') }}
            )
        {%- if with_moves %}

        union all

        -- a row that comes from another key begins again: nothing that the key held before counts
        select
            row_key,
            {%- if sharded %}
            null as shard,
            {%- endif %}
            null as topic,
            null as partition,
            'moved_here' as operation,
            named_struct(
                'epoch', sequence.epoch,
                'phase', sequence.phase,
                'position', sequence.position,
                'offset', sequence.offset,
                'row_index', sequence.row_index - 1,
                'partition', sequence.partition
            ) as sequence,
            sequence as moved_sequence
        from moves

        union all

        -- its values lie under the old key: what is new there is new for it
        select
            {{ cdc.key_left('moves', 'left_keys') }} as row_key,
            {%- if sharded %}
            null as shard,
            {%- endif %}
            null as topic,
            null as partition,
            null as operation,
            null as sequence,
            moves.sequence as moved_sequence
        from moves
            left join left_keys
                on
                    moves.sequence.position = left_keys.position
                    {%- if sharded %}
                    and {{ cdc.shard_of_key('moves.row_key') }} = left_keys.shard
                    {%- endif %}
        {%- endif %}
        {%- if has_loads_again %}

        union all

        -- a full load that begins again removes the keys that it does not have
        select
            row_key,
            {%- if sharded %}
            shard,
            {%- endif %}
            topic,
            partition,
            operation,
            delete_sequence as sequence,
            null as moved_sequence
        from full_loads
        {%- if plan.mode == 'merge' %}
            -- the state has most of them already, and a row that is merged for nothing is a file that is written for nothing
            left anti join {{ cdc.state_relation() }} as known
                on
                    known.row_key is null
                    and full_loads.topic <=> known.topic
                    and full_loads.partition <=> known.partition
                    {%- if sharded %}
                    and full_loads.shard <=> known.shard
                    {%- endif %}
                    and full_loads.delete_sequence <= known.delete_sequence
        {%- endif %}
        {%- endif %}

    )

    select
        row_key,
        {%- if sharded %}
        shard,
        {%- endif %}
        topic,
        partition,
        max(sequence) as delete_sequence,
        max_by(operation, sequence) as operation,
        max(moved_sequence) as moved_sequence
    from deletes
    group by row_key, {{ 'shard, ' if sharded }}topic, partition
{%- endmacro %}


{#- The full loads that began again, by the stream's own marks or the feed's cut-overs; as in the state, rows
    without a key. -#}
{% macro full_loads_again(plan) -%}
    {%- if plan.has_ranges %}
        select
            cast(null as array<string>) as row_key,
            {%- if cdc.shard_parts() %}
            {{ cdc.shard_of('changes') }} as shard,
            {%- endif %}
            if(is_told_by_position, null, topic) as topic,
            if(is_told_by_position, null, partition) as partition,
            'full_load' as operation,
            changed_at,
            false as has_position,
            {{ cdc.beginning_of_epoch('epoch' ~ cdc.epochs_by_cut_overs('changes')) }} as delete_sequence
        from {{ ref('cdc_sequence_ranges') }} as changes
        where
            {{ cdc.ranges_of_this_table('changes') }}
            and starts_full_load
    {%- endif %}
    {%- for cut_over in cdc.cut_overs() %}
        {%- if plan.has_ranges or not loop.first %}

        union all
        {% endif %}
        -- once a change of the table has reached it: before that, the table would be empty until the load begins
        select distinct
            cast(null as array<string>) as row_key,
            {%- if cdc.shard_parts() %}
            {{ cdc.shard_of('changes') if cut_over.pattern else 'cast(null as array<string>)' }} as shard,
            {%- endif %}
            cast(null as string) as topic,
            cast(null as int) as partition,
            'full_load' as operation,
            cast({{ cdc.quoted(cut_over.time) }} as timestamp) as changed_at,
            false as has_position,
            {{ cdc.beginning_of_epoch(cdc.epoch_of_cut_over(cut_over, 'changes')) }} as delete_sequence
        from {{ ref(model.config.meta.silver) }} as changes
        where
            {{ cdc.is_of_run('changes', plan) }}
            and {{ cdc.reaches_cut_over('changes', cut_over.time) }}
            {{- cdc.is_of_cut_over('changes', cut_over) }}
    {%- endfor %}
{%- endmacro %}
