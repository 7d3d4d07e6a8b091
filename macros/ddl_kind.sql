{#- What a DDL text does, by its first word behind comments: create, alter, drop, truncate, rename or other. -#}
{% macro ddl_kind(ddl) -%}
    case
        lower(regexp_extract({{ ddl }}, r'^(?:\s|/\*(?:[^*]|\*(?!/))*+\*/|--[^\n]*+\n|#[^\n]*+\n)*+([A-Za-z]+)', 1))
        when 'create' then 'create'
        when 'alter' then 'alter'
        when 'drop' then 'drop'
        when 'truncate' then 'truncate'
        when 'rename' then 'rename'
        else 'other'
    end
{%- endmacro %}
