{#- What Debezium's flattening transform says of a table's columns: the Kafka Connect `schema` block, whose own fields
    are the columns; the added fields are among them. Surprise: no block names the connector, so a comma that
    MySQL's connector escapes inside a label stays escaped. -#}

{% macro debezium_smt_columns(schemas) -%}
    with decoded as (

        select
            schema_id,
            from_json(schema_text, 'bare_numbers array<string>, fields array<{{ cdc.connect_field() }}>') as block
        from {{ schemas }}

    ),

    blocks as (

        select
            schema_id,
            block.bare_numbers,
            block.fields,
            false as is_mysql
        from decoded

    ),

    {{ cdc._connect_columns('blocks') }}
{%- endmacro %}
