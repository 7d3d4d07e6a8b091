{#- Neighbouring rows of silver.order_marks that are alike become one: each run adds one per table and partition, and
    silver.sequence_ranges is made from them all. Rows of which a reader has read only one, by the version in its mark, stay
    apart. Where a run that left sequence_ranges out, or was killed before it, has added marks, nothing is merged until the next run.
    compact_tables calls it. -#}
{% macro merge_order_marks() -%}
    {%- if cdc.feeds() and load_relation(ref('cdc_order_marks')) is not none
        and load_relation(ref('cdc_sequence_ranges')) is not none
        and not run_query(cdc.alike_order_marks() ~ ' where ordering.epochs is null limit 1')
        and run_query(cdc.alike_order_marks() ~ ' where is_like_previous limit 1')
    -%}
        {%- do cdc.forget_marks(['cdc_sequence_ranges', '#cdc_sequence_ranges']) -%}
        {%- do run_query(cdc.merged_order_marks()) -%}
    {%- endif -%}
{%- endmacro %}


{#- The order marks, each with whether it is like the one before it in its partition: in the order, and in the epochs. -#}
{% macro alike_order_marks() -%}
    {%- set source_table = 'feed, topic, topic_generation, partition, catalog_name, database_name, schema_name, table_name' -%}
    with epochs_of_marks as (

        select
            feed,
            topic,
            topic_generation,
            partition,
            catalog_name,
            database_name,
            schema_name,
            table_name,
            from_offset,
            sort_array(
                collect_set(
                    struct(epoch, later_epochs, if(inherits_in_file is null, null, inherited_position) as wrapped_position)
                )
            ) as epochs
        from {{ ref('cdc_sequence_ranges') }}
        group by {{ source_table }}, from_offset

    ),

    applied as (

        select collect_set(bronze_version) as versions
        from {{ cdc.applied_versions() }}

    ),

    with_epochs as (

        select
            marks.*,
            struct(
                marks.is_full_load,
                marks.is_positioned,
                marks.position_space,
                marks.load_position,
                marks.cut_overs_passed,
                epochs_of_marks.epochs,
                -- who has read it
                size(filter(applied.versions, version -> version >= marks.bronze_version)) as readers
            ) as ordering
        from {{ ref('cdc_order_marks') }} as marks
            cross join applied
            left join epochs_of_marks
                on
                    marks.feed = epochs_of_marks.feed
                    and marks.topic = epochs_of_marks.topic
                    and marks.topic_generation = epochs_of_marks.topic_generation
                    and marks.partition = epochs_of_marks.partition
                    and marks.catalog_name <=> epochs_of_marks.catalog_name
                    and marks.database_name <=> epochs_of_marks.database_name
                    and marks.schema_name <=> epochs_of_marks.schema_name
                    and marks.table_name <=> epochs_of_marks.table_name
                    and marks.from_offset = epochs_of_marks.from_offset

    ),

    alike as (

        select
            *,
            ordering <=> lag(ordering) over in_order as is_like_previous
        from with_epochs
        window in_order as (partition by {{ source_table }} order by from_offset, to_offset)

    )

    select * from alike
{%- endmacro %}


{% macro merged_order_marks() -%}
    {%- set source_table = 'feed, topic, topic_generation, partition, catalog_name, database_name, schema_name, table_name' -%}
    insert overwrite {{ ref('cdc_order_marks') }}
    with marks as (

        {{ cdc.alike_order_marks() }}

    ),

    numbered as (

        select
            *,
            count_if(not is_like_previous) over (
                partition by {{ source_table }}
                order by from_offset, to_offset
            ) as group_number
        from marks

    )

    select
        feed,
        topic,
        topic_generation,
        partition,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        min(from_offset) as from_offset,
        max(to_offset) as to_offset,
        is_full_load,
        is_positioned,
        position_space,
        load_position,
        cut_overs_passed,
        min(lowest_position) as lowest_position,
        max(highest_position) as highest_position,
        if(
            is_full_load and load_position is null,
            max(message_timestamp),
            min_by(message_timestamp, struct(from_offset, to_offset))
        ) as message_timestamp,
        min_by(changed_at, struct(from_offset, to_offset)) as changed_at,
        max(bronze_version) as bronze_version
    from numbered
    group by {{ source_table }}, group_number, is_full_load, is_positioned, position_space, load_position, cut_overs_passed
{%- endmacro %}
