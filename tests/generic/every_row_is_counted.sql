{#- For tables without a key: each change carries the whole row that it took and the whole row that it added, none may have
    been sent twice, and no row was taken more often than it was added. -#}
{% test every_row_is_counted(model) %}
    {{ config(meta={'cdc': {'findings': true}}) }}
    {%- set declared = cdc.tested_declaration(model, 'every_row_is_counted', 'current_rows') if execute else {} %}
    with

    unchecked as (

        {{ cdc.unchecked_changes(model) if execute else 'select 1' }}

    ),

    incomplete as (

        select
            case
                when operation in ('update', 'delete', 'update_before') and not is_before_complete
                    then 'the row before this change is not told whole'
                when operation in ('insert', 'update', 'upsert', 'snapshot') and not is_after_complete
                    then 'the row after this change is not told whole'
            end as finding,
            cast(null as array<string>) as row_texts,
            topic,
            partition,
            offset
        from unchecked

    ),

    changes as (

        select
            *,
            struct(change_sequence.position, operation, to_json(before_image), to_json(after_image)) as content,
            {{ cdc.proven_position('unchecked', declared.feed) if execute else 'change_sequence.position' }}
                as proven_position
        from unchecked

    ),

    compared as (

        select
            *,
            proven_position <=> lag(proven_position) over (
                partition by topic, topic_generation, partition, database_name, schema_name, table_name
                order by offset, row_index
            ) as is_like_previous
        from changes

    ),

    sent as (

        select
            *,
            count_if(not is_like_previous) over (
                partition by topic, topic_generation, partition, database_name, schema_name, table_name
                order by offset, row_index
            ) as sending
        from compared

    ),

    numbered as (

        select
            *,
            row_number() over (
                partition by content, topic, topic_generation, partition, database_name, schema_name, table_name, sending
                order by offset, row_index
            ) as copy
        from sent
        where operation not in ('truncate', 'schema_change')

    ),

    sent_twice as (

        select
            'an equal change stands before it at one position: counted as two rows, unless it was sent again' as finding,
            cast(null as array<string>) as row_texts,
            topic,
            partition,
            offset
        from numbered
        where
            copy > 1
            and size(change_sequence.position) > 0
            and change_sequence.phase = 1

    ),

    sent_in_partitions as (

        select
            'equal at one position in several partitions: counted as one row that was sent again' as finding,
            cast(null as array<string>) as row_texts,
            max_by(topic, offset) as topic,
            max_by(partition, offset) as partition,
            max(offset) as offset
        from changes
        where
            operation not in ('truncate', 'schema_change')
            and size(change_sequence.position) > 0
            and change_sequence.phase = 1
        group by content, database_name, schema_name, table_name
        having count(distinct struct(topic, partition)) > 1

    ),

    taken as (

        select
            concat('taken ', -copies, ' times more often than brought') as finding,
            row_texts,
            cast(null as string) as topic,
            cast(null as int) as partition,
            cast(null as bigint) as offset
        from {{ cdc.state_of(model) }}
        where copies < 0

    )

    select
        *,
        cast(null as array<string>) as row_key
    from (
        select * from incomplete
        where finding is not null
        union all
        select * from sent_twice
        union all
        select * from sent_in_partitions
        union all
        select * from taken
    ) as uncounted
{% endtest %}
