{#- One row per key in gold, and no key column without a value: it fits no type, or the row is from before keys with NULL
    were left out. Rows may have one key although their messages named different ones: those from before the source's key
    was changed stay beside the later ones. -#}
{% test key_is_unique(model) -%}
    {{ config(meta={'cdc': {'findings': true}}, severity='error') }}
    {%- set key = cdc.tested_declaration(model, 'key_is_unique', 'current_state').key if execute else ['id'] %}

    select
        struct(
            {%- for column in key %}
            {{ cdc.identifier(column) }}{{ ',' if not loop.last }}
            {%- endfor %}
        ) as gold_key,
        count(*) as row_count,
        min(_change.row_key) as row_key,
        cast(null as string) as topic,
        cast(null as int) as partition,
        cast(null as bigint) as offset,
        if(count(*) > 1, 'several rows have this key', 'a column of the key has no value') as finding
    from {{ model }}
    group by
        {%- for column in key %}
        {{ cdc.identifier(column) }}{{ ',' if not loop.last }}
        {%- endfor %}
    having
        count(*) > 1
        or bool_or(_change.row_key is null)
        {%- for column in key %}
        or bool_or({{ cdc.identifier(column) }} is null)
        {%- endfor %}
{%- endtest %}
