{#- What a DDL text does to tables, by its first words behind comments: create, alter, drop, truncate, rename or
    other. Only a table or what holds tables counts: DROP INDEX and DROP TEMPORARY TABLE empty no table. MariaDB's CREATE
    OR REPLACE TABLE drops the table that was there. -#}
{% macro ddl_kind(ddl) -%}
    coalesce(
        nullif(
            split_part(
                regexp_extract(
                    regexp_replace({{ ddl_words(ddl) }}, r'^create or replace\b', 'drop'),
                    r'^(?:(?:create|alter|drop|rename)(?: online| ignore)? (?:table|database|schema)\b|truncate )',
                    0
                ),
                ' ',
                1
            ),
            ''
        ),
        'other'
    )
{%- endmacro %}


{#- The first 2,000 characters of a DDL text in lower case, on one line. -#}
{% macro ddl_words(ddl) -%}
    lower({{ ddl_line(ddl) }})
{%- endmacro %}


{#- The first 2,000 characters of a DDL text, one blank for every run of comments and blanks;
    MySQL's /*! */ is no comment. -#}
{% macro ddl_line(ddl) -%}
    ltrim(
        regexp_replace(left({{ ddl }}, 2000), r'(?:\s|/\*(?!!)(?:[^*]|\*(?!/))*+\*/|--[^\n]*+\n|#[^\n]*+\n)++', ' ')
    )
{%- endmacro %}


{#- Does a DROP name more tables than one, of which a message tells only the first? -#}
{% macro drops_several(ddl) -%}
    (startswith({{ ddl_words(ddl) }}, 'drop ') and contains(regexp_replace({{ ddl_line(ddl) }}, r'`[^`]*+`', ''), ','))
{%- endmacro %}


{#- The kind by the word of a tool of Canal's descent, else by the text: CREATE OR REPLACE TABLE is a CREATE by its word. -#}
{% macro ddl_kind_told(word, ddl) -%}
    if(
        {{ word }} = 'CREATE' and {{ ddl_kind(ddl) }} = 'drop',
        'drop',
        coalesce({{ ddl_kind_of_word(word) }}, {{ ddl_kind(ddl) }})
    )
{%- endmacro %}


{#- The kind by the word that the tools of Canal's descent write for it; NULL for any other. -#}
{% macro ddl_kind_of_word(word) -%}
    case {{ word }}
        when 'CREATE' then 'create'
        when 'ALTER' then 'alter'
        when 'ERASE' then 'drop'
        when 'RENAME' then 'rename'
        when 'CINDEX' then 'other'
        when 'DINDEX' then 'other'
    end
{%- endmacro %}
