{#- Types that stand as a JSON object of column name and type text, `{"id":"bigint(20) unsigned"}`: one row per column,
    with the parts of the text. -#}

{% macro named_types(schemas) -%}
    select
        schema_id,
        ordinal + 1 as ordinal,
        column_name,
        source_type,
        lower(regexp_extract(source_type, '^ *([A-Za-z0-9_]+)', 1)) as word,
        cast(regexp_extract(source_type, r'^[^(]*\( *(\d+)', 1) as int) as length,
        cast(regexp_extract(source_type, r'^[^(]*\( *\d+ *, *(-?\d+)', 1) as int) as digits,
        -- zerofill implies unsigned
        source_type rlike r'(?i)\b(unsigned|zerofill)\b' as is_unsigned
    from {{ schemas }}
        lateral view posexplode(from_json(schema_text, 'map<string, string>'))
            as ordinal, column_name, source_type
{%- endmacro %}
