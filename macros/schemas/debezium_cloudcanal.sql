{#- What CloudCanal's Debezium output says of a table's columns: the `schema` block, read as Debezium's; of a statement
    `tableChanges`, read as in cloudcanal_json. Surprise: the block may be null, and then a row says nothing. -#}

{% macro debezium_cloudcanal_columns(schemas) -%}
    with of_blocks as (

        {{ cdc.debezium_json_columns(schemas) }}

    ),

    of_statements as (

        {{ cdc.cloudcanal_json_columns(schemas) }}

    )

    select * from of_blocks
    union all
    select * from of_statements
{%- endmacro %}
