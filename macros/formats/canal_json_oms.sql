{#- OceanBase Migration Service (OMS) in Canal's envelope: no `id`, no `gtid`. One message carries one row; an update
    also carries `old`, the prior values of the changed columns.
    Surprise: numbers are bare, with more digits than a double has. Rules: docs/formats/canal_json_oms.md -#}

{% macro parse_canal_json_oms(messages) -%}
    with {{ cdc._canal_exact_messages(messages, cdc._canal_fields()) }},

    {{ cdc._canal_operations('sent') }},

    operations_of_oms as (

        select
            * except (source_type),
            cast(null as string) as source_type
        from operations

    ),

    {{ cdc._canal_parsed_rows('operations_of_oms', 'canal_json_oms') }}

    {{ cdc.to_change_contract('parsed_rows') }}
{%- endmacro %}


{% macro canal_json_oms_row_before(relation) -%}
    {{ cdc.row_before_by_changed_columns(relation) }}
{%- endmacro %}
