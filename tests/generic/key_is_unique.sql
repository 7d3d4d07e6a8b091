{#- One row per key in gold, and no key column without a value. -#}
{% test key_is_unique(model) -%}
    {{ config(severity='error') }}
    {%- set key = gold_declaration(model).key if execute else [] %}

    select
        _change.row_key,
        count(*) as row_count,
        {% for column in key %}count_if({{ identifier(column) }} is null) + {% endfor %}0 as missing_values
    from {{ model }}
    group by _change.row_key
    having row_count > 1 or missing_values > 0 or row_key is null
{%- endtest %}
