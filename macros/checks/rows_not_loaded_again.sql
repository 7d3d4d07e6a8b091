{#- Rows that a full load which began again by its marks did not send, one for each such load that has ended: gold has them no more, and no
    message says whether it was of the whole table. `changes`: those that count in the order of their tables, with their `place` and
    whether they are unchecked. -#}
{% macro rows_not_loaded_again(changes) -%}
    {%- set source_table = 'feed, catalog_name, database_name, schema_name, table_name' -%}
    with

    -- until a full load has ended, its rows may be on their way
    ended as (

        select
            loads.feed,
            loads.catalog_name,
            loads.database_name,
            loads.schema_name,
            loads.table_name,
            loads.topic,
            loads.partition,
            loads.from_offset,
            loads.epoch,
            loads.is_told_by_position
        from {{ changes }} as changes
            inner join {{ ref('cdc_sequence_ranges') }} as loads
                on
                    {{ cdc.is_same_table('changes', 'loads') }}
                    and changes.catalog_name <=> loads.catalog_name
                    and (
                        changes.topic = loads.topic
                        and changes.topic_generation = loads.topic_generation
                        and changes.partition = loads.partition
                        and changes.offset >= loads.from_offset
                        or loads.is_told_by_position and changes.change_sequence.position >= loads.load_position
                    )
        where
            loads.starts_full_load
            and changes.order_scope = 'position'
            and (changes.change_sequence.phase = 1 or startswith(changes.snapshot_mark, 'last'))
        group by all
        having bool_and(changes.is_unchecked)

    ),

    of_loaded_tables as (

        select
            changes.*,
            loads.epoch as epoch_of_load,
            struct(loads.topic, loads.partition, loads.from_offset as offset) as place_of_load,
            {{ cdc.epoch_in_ranges('changes') }} as epoch
        from {{ changes }} as changes
            inner join ended as loads
                on
                    {{ cdc.is_same_table('changes', 'loads') }}
                    and (changes.catalog_name <=> loads.catalog_name or changes.row_key is null)
                    and (
                        loads.is_told_by_position
                        or changes.topic = loads.topic and changes.partition = loads.partition
                    )
            left join {{ ref('cdc_sequence_ranges') }} as ranges
                on
                    {{ cdc.is_in_range('changes') }}
        where changes.order_scope = 'position'

    ),

    newest_of_keys as (

        select
            feed,
            catalog_name,
            database_name,
            schema_name,
            table_name,
            row_key,
            epoch_of_load,
            place_of_load,
            max(epoch) as newest_epoch,
            max_by(struct(operation, place), struct(epoch, change_sequence)) as newest,
            max(struct(epoch, change_sequence)) as sequence,
            max(max(struct(epoch, change_sequence)) filter (where row_key is null and epoch < epoch_of_load))
                over (partition by feed, database_name, schema_name, table_name, place_of_load) as cleared_at
        from of_loaded_tables
        group by {{ source_table }}, row_key, epoch_of_load, place_of_load

    )

    select
        feed,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        min(row_key) as row_key,
        'a full load that began again did not bring this row, and perhaps others: was it of the whole table?' as finding,
        min_by(newest.place, row_key) as first_place,
        place_of_load as last_place
    from newest_of_keys
    where
        row_key is not null
        and newest_epoch < epoch_of_load
        and newest.operation not in ('delete', 'update_before')
        and coalesce(sequence > cleared_at, true)
    group by {{ source_table }}, place_of_load
{%- endmacro %}
