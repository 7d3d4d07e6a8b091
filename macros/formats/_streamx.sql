{#- What StreamX and DataWorks V2.0 share: the words of `op` for statements, and whose table a statement names. -#}

{#- What a statement does to tables; NULL where `op` is no statement's, or a QUERY without a text. -#}
{% macro _streamx_ddl_kind(op, ddl) -%}
    case
        when {{ op }} = 'TRUNCATE' then 'truncate'
        when {{ op }} = 'QUERY' and trim({{ ddl }}) <> '' then {{ ddl_kind(ddl) }}
        else {{ ddl_kind_of_word(op) }}
    end
{%- endmacro %}


{#- Whether the table that a text names (see below) is the message's own, or a whole database. -#}
{% macro _streamx_is_own_table(table_in_ddl, database, schema, table) -%}
    coalesce(
        endswith(
            lower(concat_ws('.', '', {{ database }}, {{ schema }}, {{ table }})),
            concat('.', {{ table_in_ddl }})
        ),
        {{ table }} is null
    )
{%- endmacro %}


{#- The one table that a TRUNCATE, DROP or RENAME text names, lower case, without quotes: db.table or table. Empty where
    the text names several or is written otherwise, NULL where it drops a whole database. -#}
{% macro _streamx_ddl_table(ddl) -%}
    case
        when not {{ ddl_words(ddl) }} rlike '^drop (database|schema) '
            then translate(
                regexp_extract(
                    {{ ddl_words(ddl) }},
                    r'^(?:truncate(?: table)?|(?:drop|rename|alter) table)(?: if exists)? '
                    || r'((?:`[^`]+`|"[^"]+"|\[[^]]+\]|[^ `"\[.,;]+)'
                    || r'(?: ?\. ?(?:`[^`]+`|"[^"]+"|\[[^]]+\]|[^ `"\[.,;]+))*+)'
                    || '[^,]*$',
                    1
                ),
                '`"[] ',
                ''
            )
    end
{%- endmacro %}
