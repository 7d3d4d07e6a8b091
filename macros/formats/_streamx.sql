{#- What StreamX and DataWorks V2.0 share: the words of `op` for statements. -#}

{#- What a statement does to tables; NULL where `op` is no statement's, or a QUERY without a text. -#}
{% macro _streamx_ddl_kind(op, statement) -%}
    case
        when {{ op }} = 'TRUNCATE' then 'truncate'
        when {{ op }} = 'QUERY' then {{ statement }}.kind
        when {{ cdc.ddl_kind_of_word(op) }} is not null then {{ cdc.ddl_kind_of_word_or_text(op, statement) }}
    end
{%- endmacro %}
