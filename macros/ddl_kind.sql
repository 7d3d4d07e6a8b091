{#- What a DDL text does to tables, by its first words behind comments: create, alter, drop, truncate, rename or
    other. Only a table or what holds tables counts: DROP INDEX and DROP TEMPORARY TABLE empty no table. -#}
{% macro ddl_kind(ddl) -%}
    case
        when {{ ddl_words(ddl) }} rlike '^create (table|database|schema|or replace table)' then 'create'
        when {{ ddl_words(ddl) }} rlike '^alter (table|database|schema|online|ignore)' then 'alter'
        when {{ ddl_words(ddl) }} rlike '^drop (table|database|schema)' then 'drop'
        when {{ ddl_words(ddl) }} rlike '^truncate ' then 'truncate'
        when {{ ddl_words(ddl) }} rlike '^rename (table|tables) ' then 'rename'
        else 'other'
    end
{%- endmacro %}


{#- The first 2,000 characters of a DDL text in lower case, one blank for every run of comments and blanks;
    MySQL's /*! */ is no comment. -#}
{% macro ddl_words(ddl) -%}
    lower(
        ltrim(
            regexp_replace(left({{ ddl }}, 2000), r'(?:\s|/\*(?!!)(?:[^*]|\*(?!/))*+\*/|--[^\n]*+\n|#[^\n]*+\n)++', ' ')
        )
    )
{%- endmacro %}
