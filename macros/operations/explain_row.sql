{#- Why a gold row is as it is: every change of one key, the newest first, with its coordinates and what became of it, and
    what cleared the table in between.
    `previous_row_key` is set where the row came from another key: what the change does not carry, it has from there. A part that
    the message writes otherwise than its keys is NULL.
    `key` lists the texts of the key as they are in `_change.row_key`, none for NULL.

    dbt show --inline "{{ explain_row('orders', ['1001']) }}" --limit 50 -#}
{% macro explain_row(table, key) -%}
    {%- do ref(table) -%}
    {%- do ref('cdc_sequence_ranges') -%}
    {%- if not execute -%}
    select 'known once the project is read' as verdict
    {%- else -%}
    {%- set gold = cdc.gold_table_named(table, 'explain_row') -%}
    {%- set meta = cdc.gold_declaration(gold) -%}
    {%- do cdc.check_explained_key(table, meta, key) -%}
    {%- set sharded = cdc.shard_parts(meta) != [] -%}
    {%- set values = [] -%}
    {%- for value in key -%}
        {%- do values.append('cast(null as string)' if value is none else cdc.quoted(value)) -%}
    {%- endfor -%}
    {%- set row_key = 'array(' ~ values | join(', ') ~ ')' -%}
    with changes as (

        select
            {{ cdc.gold_key_column('changes', declaration=meta) }},
            {{ cdc.gold_key_column('changes', 'previous_row_key', meta) }},
            {{ cdc.gold_sequence('changes', {'has_ranges': true}, meta) }} as sequence,
            changes.operation,
            changes.changed_at,
            changes.topic,
            changes.partition,
            changes.offset,
            changes.topic_generation,
            changes.row_index,
            changes.order_scope,
            {%- if sharded %}
            {{ cdc.shard_of('changes', meta) }} as shard,
            {%- endif %}
            changes.operation in ('delete', 'update_before') as is_delete,
            changes.bronze_version <= coalesce(({{ cdc.version_read_by(table) }}), -1) as is_read
        from {{ cdc.silver_of(meta) }} as changes
        {{- cdc.join_ranges('changes', {'has_ranges': true}) }}
        {{- cdc.join_types_of_key('changes', meta) }}
        where
            {{ cdc.of_this_table('changes', meta) }}
            and {{ cdc.gold_key('changes', meta) }} = {{ row_key }}
            and changes.operation in ('insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before')

    ),

    ended as (

        select
            changes.*,
            max(ends.delete_sequence) as end_sequence,
            max_by(ends.operation, ends.delete_sequence) as end_operation
        from changes
            left join {{ cdc.state_of(gold) }} as ends
                on
                    changes.row_key = ends.row_key
                    or ends.row_key is null
                    and {{ cdc.reaches('ends', 'changes', meta) }}
        group by all

    ),

    own_ends as (

        select
            max(sequence) as delete_sequence,
            max_by(operation, sequence) as operation
        from changes
        where is_delete and is_read

    ),

    -- the state may have forgotten old deletes; silver has them
    compared as (

        select
            ended.* except (end_sequence, end_operation),
            greatest(ended.end_sequence, own_ends.delete_sequence) as end_sequence,
            if(
                own_ends.delete_sequence > ended.end_sequence or ended.end_sequence is null,
                own_ends.operation, ended.end_operation
            ) as end_operation,
            current._change.sequence as gold_sequence,
            map_keys(
                map_filter(
                    current._change.column_sequences,
                    (column_name, column_sequence) -> column_sequence = ended.sequence
                )
            ) as columns_in_gold
        from ended
            cross join own_ends
            left join {{ gold }} as current
                on current._change.row_key = {{ row_key }}

    ),

    clearings as (

        select
            {%- if sharded %}
            {{ cdc.shard_of('changes', meta) }} as shard,
            {%- endif %}
            if(changes.operation = 'truncate', 'truncate', changes.ddl_kind) as operation,
            changes.changed_at,
            changes.topic,
            changes.partition,
            changes.offset,
            changes.topic_generation,
            changes.row_index,
            changes.order_scope = 'position' as is_of_all_partitions,
            {{ cdc.gold_sequence('changes', {'has_ranges': true}, meta) }} as sequence,
            changes.bronze_version <= coalesce(({{ cdc.version_read_by(table) }}), -1) as is_read
        from {{ cdc.silver_of(meta) }} as changes
        {{- cdc.join_ranges('changes', {'has_ranges': true}) }}
        where
            {{ cdc.of_this_table('changes', meta) }}
            and (
                {{ cdc.clears_the_table('changes', meta) }}
            )

        union all

        select
            {%- if sharded %}
            {{ cdc.shard_of('ranges', meta) }} as shard,
            {%- endif %}
            'full_load' as operation,
            ranges.changed_at,
            ranges.topic,
            ranges.partition,
            ranges.from_offset as offset,
            ranges.topic_generation,
            0 as row_index,
            ranges.is_told_by_position as is_of_all_partitions,
            {{ cdc.beginning_of_epoch('ranges.epoch' ~ cdc.epochs_by_cut_overs('ranges', meta)) }} as sequence,
            true as is_read
        from {{ ref('cdc_sequence_ranges') }} as ranges
        where
            {{ cdc.ranges_of_this_table('ranges', meta) }}
            and ranges.starts_full_load
        {%- for cut_over in cdc.cut_overs(meta) %}

        union all

        -- the feed's cut-over, which no message carries; it counts once a change has reached it
        select
            {%- if sharded %}
            {{ cdc.shard_of('changes', meta) if cut_over.pattern else 'cast(null as array<string>)' }} as shard,
            {%- endif %}
            'full_load' as operation,
            cast({{ cdc.quoted(cut_over.time) }} as timestamp) as changed_at,
            cast(null as string) as topic,
            cast(null as int) as partition,
            cast(null as bigint) as offset,
            cast(null as int) as topic_generation,
            cast(null as int) as row_index,
            true as is_of_all_partitions,
            {{ cdc.beginning_of_epoch(cdc.epoch_of_cut_over(cut_over, 'changes', meta)) }} as sequence,
            min(changes.bronze_version) <= coalesce(({{ cdc.version_read_by(table) }}), -1) as is_read
        from {{ cdc.silver_of(meta) }} as changes
        where
            {{ cdc.of_this_table('changes', meta) }}
            and {{ cdc.reaches_cut_over('changes', cut_over.time) }}
            {{- cdc.is_of_cut_over('changes', cut_over) }}
        {%- if cut_over.pattern %}
        group by all
        {%- else %}
        having count(*) > 0
        {%- endif %}
        {%- endfor %}

    ),

    -- what positions prove reaches the whole table, anything else its own partition
    listed as (

        select
            case
                when not is_read then 'not in gold yet: run dbt'
                when operation = 'full_load' then 'a new full load: what it does not send again is superseded'
                else 'it cleared the table'
            end as verdict,
            operation,
            changed_at,
            topic,
            partition,
            offset,
            topic_generation,
            row_index,
            cast(null as array<string>) as previous_row_key,
            sequence
        from clearings
            left semi join changes
                on
                    (
                        clearings.is_of_all_partitions
                        or clearings.topic = changes.topic and clearings.partition = changes.partition
                    )
                    {%- if sharded %}
                    and (clearings.shard is null or clearings.shard = changes.shard)
                    {%- endif %}

    ),

    judged as (

        select
            case
                {%- if none in key %}
                when true then 'its key has NULL, and names no row'
                {%- endif %}
                when not is_read then 'not in gold yet: run dbt'
                when sequence = gold_sequence then 'gold shows it'
                when is_delete and sequence = end_sequence and gold_sequence is null then 'it removed the row'
                when is_delete and sequence <= end_sequence then 'a newer change follows this delete'
                when sequence < end_sequence
                    then case end_operation
                        when 'update_before' then 'superseded: the row moved to another key later'
                        when 'moved_here' then 'superseded: a row from another key took its place'
                        when 'full_load' then 'superseded: a new full load began'
                        else concat('superseded: a later ', end_operation, ' removed what was before')
                    end
                when gold_sequence is null or sequence > gold_sequence then 'not in gold yet: run dbt'
                when cardinality(columns_in_gold) > 0
                    then concat('gold still shows its ', array_join(columns_in_gold, ', '))
                else 'a newer change won'
            end as verdict,
            operation,
            changed_at,
            topic,
            partition,
            offset,
            topic_generation,
            row_index,
            previous_row_key,
            sequence
        from compared

    )

    select * from judged
    union all
    select * from listed
    order by sequence desc
    {%- endif -%}
{%- endmacro %}


{% macro check_explained_key(table, meta, key) -%}
    {%- if key is string or key is mapping or key is not sequence or key | length != meta.key | length -%}
        {{ exceptions.raise_compiler_error(
            "explain_row: the key of '" ~ table ~ "' has " ~ meta.key | length ~ " columns. Give a list of as many values, in the order"
            ~ " of _change.row_key in the table, such as ['1001']."
        ) }}
    {%- endif -%}
    {%- for value in key if value is boolean or value is float -%}
        {{ exceptions.raise_compiler_error(
            "explain_row: " ~ value ~ " in the key of '" ~ table ~ "' is a value, which may be written in several ways. Give its text as"
            ~ " _change.row_key has it, in quotes, such as ['25.80']."
        ) }}
    {%- endfor -%}
{%- endmacro %}
