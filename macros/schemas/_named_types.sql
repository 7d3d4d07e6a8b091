{#- Types that are a JSON object of column name and type text, `{"id":"bigint(20) unsigned"}`: one row per column,
    with the parts of the text. -#}

{% macro named_types(schemas) -%}
    select
        schema_id,
        ordinal + 1 as ordinal,
        column_name,
        source_type,
        {{ cdc.type_word('source_type') }} as word,
        {{ cdc.type_length('source_type') }} as length,
        {{ cdc.type_digits('source_type') }} as digits,
        -- zerofill implies unsigned
        source_type rlike r'(?i)\b(unsigned|zerofill)\b' as is_unsigned
    from {{ schemas }}
        lateral view posexplode(from_json(schema_text, 'map<string, string>'))
            as ordinal, column_name, source_type
{%- endmacro %}
