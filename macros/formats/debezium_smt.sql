{#- Debezium's flattening transform (ExtractNewRecordState): one record is one row, its columns at the root beside a few
    added fields.
    Surprise: a record without a value is a delete, often the only trace of one; its key is in the Kafka key.
    Rules: docs/formats/debezium_smt.md -#}

{% macro parse_debezium_smt(messages) -%}
    {%- set added_prefix = "coalesce(feed_settings['added_prefix'], '__')" -%}
    {{ cdc._flattened_changes(
        messages, "startswith(column_name, " ~ added_prefix ~ ") or column_name = '__deleted'", added_prefix
    ) }}
{%- endmacro %}
