{#- What OMS says of a table's columns in DebeziumSmt: nothing in the printed messages. Where a `schema` block comes,
    its names and words alone count, as in oms_debezium. -#}

{% macro oms_debezium_smt_columns(schemas) -%}
    with blocks as (

        select
            schema_id,
            from_json(schema_text, 'fields array<{{ cdc._oms_block_field() }}>').fields as fields
        from {{ schemas }}

    ),

    {{ cdc._oms_block_columns('blocks') }}
{%- endmacro %}
