{#- The end of every format: what its CTE `parsed_rows` says of each changed row, as rows of the change contract
    (docs/change-contract.md). `parsed_rows` names a relation with the columns of record_columns and these, by name:

    image_index             the row's index in its message, from 0
    operation               of the contract, for the whole row; `unknown` where there is an error
    source_operation        the producer's own word
    error                   why the row is not understood; NULL where it is
    source_type, catalog_name, database_name, schema_name, table_name
    key_columns             NULL where the row has no key
    row_key                 the key's values after the change
    key_before              of an update those before it, where they are known; of an insert the key that the row left by it
    before_image, after_image
    is_before_complete, is_after_complete
                            does the image hold all columns of the row?
    before_unavailable, after_unavailable
                            columns that the producer knew of, but did not send; NULL for none
    schema_text             the types as the message has them
    changed_at, captured_at, transaction_id
    phase                   0 for a row of a full load, 1 for the stream
    position                numbers that order the changes; empty where there are none
    order_scope, position_space, snapshot_mark
    ddl, ddl_kind           of a statement

    An update that moves its row to another key becomes a delete of the old key and an upsert of the new one: the first has the row
    before, the second the row after it. An error leaves nothing but the coordinates, the times and the names.

    `deletes_first` is for producers whose position is a whole commit, which writes a key once: where one deletes and inserts a key,
    the row exists afterwards. -#}
{% macro to_change_contract(parsed_rows, deletes_first=false) -%}
    {%- set position = "if(size(position) > 0, array_append(position, cast(if('delete' in (half, operation), 0, 1) as decimal(38, 0))), position)" if deletes_first else 'position' -%}
    select
        feed,
        topic,
        topic_generation,
        partition,
        offset,
        2 * image_index + if(half = 'upsert', 1, 0) as row_index,
        timestamp as message_timestamp,
        load_id,
        bronze_version,
        1 as parser_version,
        if(half = 'whole', operation, half) as operation,
        source_operation,
        error,
        source_type,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        case when error is null then key_columns end as key_columns,
        case when error is null then if(half = 'delete', key_before, row_key) end as row_key,
        case when half = 'upsert' or operation = 'insert' then key_before end as previous_row_key,
        case when error is null and half <> 'upsert' then before_image end as before_image,
        case when error is null and half <> 'delete' then after_image end as after_image,
        coalesce(error is null and half <> 'upsert' and is_before_complete, false) as is_before_complete,
        coalesce(error is null and half <> 'delete' and is_after_complete, false) as is_after_complete,
        coalesce(case when error is null and half <> 'upsert' then before_unavailable end, array()) as before_unavailable,
        coalesce(case when error is null and half <> 'delete' then after_unavailable end, array()) as after_unavailable,
        md5(schema_text) as schema_id,
        schema_text,
        changed_at,
        captured_at,
        transaction_id,
        named_struct(
            'phase', phase,
            'position', {{ position }},
            'offset', offset,
            'row_index', 2 * image_index + if(half = 'upsert', 1, 0)
        ) as change_sequence,
        order_scope,
        position_space,
        snapshot_mark,
        case when operation in ('schema_change', 'truncate') then ddl end as ddl,
        case when operation in ('schema_change', 'truncate') then ddl_kind end as ddl_kind
    from {{ parsed_rows }}
        lateral view explode(
            if(operation = 'update' and key_before <> row_key, array('delete', 'upsert'), array('whole'))
        ) as half
{%- endmacro %}
