{#- From `changes` to `latest`: the newest change of each key, as a whole row, which is right while every image of the batch is complete.
    `column_types` is the relation with the encodings of its schemas, where values are encoded. -#}
{% macro latest_by_row(changes, column_types=none) -%}
    -- few keys change so often that grouping their changes before this, too, would be worth its sort
    gathered as (

        select * from {{ changes }}
        distribute by row_key

    ),

    newest as (

        select
            row_key,
            max(sequence) as sequence,
            max_by(
                struct(is_deleted, is_rebuilt, after_image, schema_id, topic, partition, changed_at),
                sequence
            ) as change
        from gathered
        -- the sort of the groups compares numbers sooner than arrays of text
        group by xxhash64(row_key), row_key

    ),

    latest as (

        select
            newest.row_key as _row_key,
            newest.change.is_deleted as _is_deleted,
            newest.change.is_rebuilt as _is_rebuilt,
            newest.sequence as _sequence,
            if(newest.change.is_deleted, newest.sequence, null) as _delete_sequence,
            newest.sequence as _base_sequence,
            cast(map() as map<string, {{ cdc.sequence_type() }}>) as _column_sequences,
            newest.change.topic as _topic,
            newest.change.partition as _partition,
            newest.change.changed_at as _changed_at,
            newest.change.after_image as _image
            {%- if column_types %},
            column_types.wires as _wires
            {%- endif %}
        from newest
        {%- if column_types %}
            left join {{ column_types }} as column_types
                on newest.change.schema_id = column_types.schema_id
        {%- endif %}

    )
{%- endmacro %}


{#- The same of the newest value of each column of each key: for batches with images that lack columns. The newest complete image
    is the base; only what is newer than it, and than the newest delete, counts. `left_wires`: the column with the encodings of values
    that moves left under their old keys, where `changes` has it. -#}
{% macro latest_by_column(changes, column_types=none, left_wires=none) -%}
    {%- set wire = cdc.wire_of_moved_value(left_wires, 'wires') if left_wires else 'wires[column_name]' -%}
    dated as (

        select
            *,
            max(if(is_deleted, sequence, null)) over (partition by row_key) as delete_sequence,
            max(if(not is_deleted and is_after_complete, sequence, null)) over (partition by row_key) as complete_sequence
        from {{ changes }}

    ),

    begun as (

        select
            *,
            if(complete_sequence > coalesce(delete_sequence, {{ cdc.lowest_sequence() }}), complete_sequence, null) as base_sequence
        from dated

    ),

    images as (

        select
            begun.row_key,
            begun.sequence,
            begun.delete_sequence,
            begun.base_sequence,
            struct(begun.is_deleted, begun.is_rebuilt, begun.topic, begun.partition, begun.changed_at) as change,
            if(
                not begun.is_deleted
                and (begun.delete_sequence is null or begun.sequence > begun.delete_sequence)
                and (begun.base_sequence is null or begun.sequence >= begun.base_sequence),
                begun.after_image, null
            ) as image
            {%- if column_types %},
            {%- if left_wires %}
            begun.{{ left_wires }},
            {%- endif %}
            column_types.wires
            {%- endif %}
        from begun
        {%- if column_types %}
            left join {{ column_types }} as column_types
                on begun.schema_id = column_types.schema_id
        {%- endif %}

    ),

    column_values as (

        select
            row_key,
            column_name,
            max(sequence) as sequence,
            max(delete_sequence) as delete_sequence,
            max(base_sequence) as base_sequence,
            max_by(change, sequence) as change,
            max_by(
                struct(column_value, change.topic, change.partition{{ ', ' ~ wire ~ ' as wire' if column_types }}),
                sequence
            ) as newest_value
        from images
            lateral view outer explode(image) as column_name, column_value
        group by row_key, column_name

    ),

    latest as (

        select
            row_key as _row_key,
            max_by(change.is_deleted, sequence) as _is_deleted,
            max_by(change.is_rebuilt, sequence) as _is_rebuilt,
            max(sequence) as _sequence,
            max(delete_sequence) as _delete_sequence,
            max(base_sequence) as _base_sequence,
            map_from_entries(collect_list(struct(column_name, sequence)) filter (where column_name is not null)) as _column_sequences,
            max_by(change.topic, sequence) as _topic,
            max_by(change.partition, sequence) as _partition,
            max_by(change.changed_at, sequence) as _changed_at,
            map_from_entries(
                collect_list(struct(column_name, newest_value.column_value)) filter (where column_name is not null)
            ) as _image,
            map_from_entries(
                collect_list(struct(column_name, struct(newest_value.topic, newest_value.partition)))
                filter (where column_name is not null)
            ) as _places
            {%- if column_types %},
            map_from_entries(
                collect_list(struct(column_name, newest_value.wire)) filter (where column_name is not null)
            ) as _wires
            {%- endif %}
        from column_values
        group by row_key

    )
{%- endmacro %}
