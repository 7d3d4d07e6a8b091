{{ config(materialized='kept_view', enabled=cdc.feeds() | length > 0) }}

with

told as (

    {% for format in cdc.formats_in_use() %}
    select
        * except (before_image),
        {{ cdc.row_before('changes', format) }} as before_image
    from {{ ref(format ~ '_changes') }} as changes
    {% if not loop.last -%}
    union all
    {%- endif %}
    {%- endfor %}

)

select
    feed,
    topic,
    topic_generation,
    partition,
    offset,
    row_index,
    message_timestamp,
    load_id,
    bronze_version,
    parser_version,
    operation,
    source_operation,
    error,
    source_type,
    catalog_name,
    database_name,
    schema_name,
    table_name,
    key_columns,
    row_key,
    previous_row_key,
    before_image,
    after_image,
    is_before_complete,
    is_after_complete,
    before_unavailable,
    after_unavailable,
    schema_id,
    schema_text,
    changed_at,
    captured_at,
    transaction_id,
    change_sequence,
    order_scope,
    position_space,
    snapshot_mark,
    ddl,
    ddl_kind
from told
