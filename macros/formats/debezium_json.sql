{#- Debezium JSON of every connector, with or without its schema block, and its side topics (schema changes,
    transactions, heartbeats). One record carries one row; its key is in the Kafka key.
    Surprise: a value that the producer did not have looks like text (see unavailable_values).
    Rules: docs/formats/debezium_json.md -#}

{% macro parse_debezium_json(messages) -%}
    with texts as (

        select
            *,
            {{ cdc.json_text('value') }} as text,
            cast(key as string) as key_text
        from {{ messages }}

    ),

    {{ cdc._debezium_changes('debezium_json', {
        'schema_text': cdc.without_marks('envelope.schema'),
        'undecodable': cdc.undecodable_reason('value', 'text'),
        'has_key': "trim(key_text) not in ('', 'null')",
        'odd_key': "'the Kafka key is not a JSON object: name the key columns of this table in the feed'",
        'signs': 'text',
        'tokens': cdc.row_tokens('text')
    }) }}
{%- endmacro %}
