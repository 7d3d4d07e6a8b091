{#- Canal flat JSON (alibaba/canal, flatMessage). One message carries N row images in `data`; an update
    also carries `old`, the prior values of the changed columns, paired with `data` by index.
    Surprise: `id`, `es` and `ts` order nothing; only the offset does. With binlog_row_image=MINIMAL an update has only what
    it changed, mostly without its key. Rules: docs/formats/canal_json.md -#}

{% macro parse_canal_json(messages) -%}
    with {{ cdc._canal_messages(messages, cdc._canal_fields()) }},

    {{ cdc._canal_operations('sent') }},

    operations_of_canal as (

        select
            * except (may_be_minimal, foreign_text),
            true as may_be_minimal,
            text as foreign_text
        from operations

    ),

    {{ cdc._canal_parsed_rows('operations_of_canal', 'canal_json') }},

    completed_rows as (

        select
            * except (is_before_complete),
            is_before_complete
            and (
                operation = 'update'
                or key_columns is null
                or size(array_except(map_keys(before_image), key_columns)) > 0
            ) as is_before_complete
        from parsed_rows

    )

    {{ cdc.to_change_contract('completed_rows') }}
{%- endmacro %}


{% macro canal_json_row_before(relation) -%}
    {{ cdc.row_before_by_changed_columns(relation) }}
{%- endmacro %}
