{#- One row per key in gold, and no key column without a value, except where the source's own key has none. Rows may have
    one key although their messages named different ones: those from before the source's key was changed stay beside the later
    ones. -#}
{% test key_is_unique(model) -%}
    {{ config(severity='error') }}
    {%- set key = cdc.gold_declaration(model).key if execute else ['id'] %}

    select
        {%- for column in key %}
        {{ cdc.identifier(column) }},
        {%- endfor %}
        count(*) as row_count
    from {{ model }}
    group by
        {%- for column in key %}
        {{ cdc.identifier(column) }}{{ ',' if not loop.last }}
        {%- endfor %}
    having
        count(*) > 1
        or bool_or(_change.row_key is null)
        or bool_or(
            size(filter(_change.row_key, key_part -> key_part is null))
            <
            {%- for column in key %}
            {{ '+ ' if not loop.first }}if({{ cdc.identifier(column) }} is null, 1, 0)
            {%- endfor %}
        )
{%- endtest %}
