{#- What OMS says of a table's columns in its Debezium formats: the `schema` block, which the documents print with
    types that its values do not have (a DATETIME is declared string and sent as a number). So its names and words
    alone count; encodings come from the feed. -#}

{% macro oms_debezium_columns(schemas) -%}
    with blocks as (

        select
            schema_id,
            filter(
                from_json(schema_text, 'fields array<struct<field string, fields array<{{ cdc._oms_block_field() }}>>>').fields,
                part -> part.field in ('after', 'before')
            )[0].fields as fields
        from {{ schemas }}

    ),

    {{ cdc._oms_block_columns('blocks') }}
{%- endmacro %}
