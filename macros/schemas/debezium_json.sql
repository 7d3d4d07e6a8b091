{#- What Debezium says of a table's columns: the Kafka Connect `schema` block of the value, whose fields
    `after` and `before` list them. A logical name such as io.debezium.time.MicroTimestamp decides, else the
    plain type. Surprise: BIGINT UNSIGNED is a plain int64, unless the connector's
    column.propagate.source.type puts the source's own type into the parameters. -#}

{% macro debezium_json_columns(schemas) -%}
    with decoded as (

        select
            schema_id,
            from_json(
                schema_text,
                'bare_numbers array<string>, fields array<struct<field string, name string, fields array<{{ cdc.connect_field() }}>>>'
            ) as block
        from {{ schemas }}

    ),

    blocks as (

        select
            schema_id,
            block.bare_numbers,
            coalesce(
                filter(block.fields, part -> part.field = 'after')[0].fields,
                filter(block.fields, part -> part.field = 'before')[0].fields
            ) as fields,
            filter(block.fields, part -> part.field = 'source')[0].name rlike 'mysql|mariadb' as is_mysql
        from decoded

    ),

    {{ cdc._connect_columns('blocks') }}
{%- endmacro %}
