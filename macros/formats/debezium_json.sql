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

    keyed_texts as (

        select
            *,
            cast(null as string) as value_schema,
            false as is_key_encoded,
            'the Kafka key is not a JSON object: name the key columns of this table in the feed' as odd_key_error,
            cast(null as string) as undecodable_error,
            text as foreign_text
        from texts

    ),

    {{ cdc._debezium_messages('keyed_texts') }},

    typed as (

        select
            * except (schema_block),
            {{ cdc.block_with_bare_numbers('schema_block', 'row_before', 'row_after', cdc.row_tokens('text')) }} as schema_block
        from imaged

    ),

    {{ cdc._debezium_parsed_rows('typed', 'debezium_json') }}

    {{ cdc.to_change_contract('parsed_rows') }}
{%- endmacro %}
