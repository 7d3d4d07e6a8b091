{#- The columns of a record in bronze that the change contract takes over as they are: see to_change_contract. -#}
{% macro record_columns() -%}
    feed,
            topic,
            topic_generation,
            partition,
            offset,
            timestamp,
            load_id,
            bronze_version
{%- endmacro %}
