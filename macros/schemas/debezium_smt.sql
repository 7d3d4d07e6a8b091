{#- What Debezium's flattening transform says of a table's columns: the Kafka Connect `schema` block, whose own fields
    are the columns; the added fields are among them. Surprise: no block names the connector, so a comma that
    MySQL's connector escapes inside a label stays escaped. -#}

{% macro debezium_smt_columns(schemas) -%}
    {{ cdc._connect_columns(
        schemas,
        "from_json(schema_text, 'bare_numbers array<string>, fields array<" ~ cdc.connect_field() ~ ">')",
        'block.fields',
        'false'
    ) }}
{%- endmacro %}
