{#- CloudCanal's output in Canal's envelope. One message carries N row images in `data`; an update also carries
    `old`, the rows as they were, paired with `data` by index.
    Surprise: only the envelope is Canal's. How a value is written is not, and `id` is 0.
    Rules: docs/formats/canal_json_cloudcanal.md -#}

{% macro parse_canal_json_cloudcanal(messages) -%}
    with {{ cdc._canal_exact_messages(messages, cdc._canal_fields() ~ ', sqlType string, tableChanges string') }},

    typed as (

        select
            * except (type_text),
            {{ cdc._cloudcanal_types(['mysqlType', 'sqlType', 'tableChanges']) }} as type_text
        from sent

    ),

    {{ cdc._canal_operations('typed') }},

    {{ cdc._canal_parsed_rows('operations', 'canal_json_cloudcanal') }}

    {{ cdc.to_change_contract('parsed_rows') }}
{%- endmacro %}


{% macro canal_json_cloudcanal_row_before(relation) -%}
    {{ cdc.row_before_by_changed_columns(relation) }}
{%- endmacro %}
