{#- A SQL string literal, on one line; text from a configuration or a message is data, never SQL. -#}
{% macro quoted(text) -%}
    '{{ cdc.inside_quotes(text).replace('\n', '\\n') }}'
{%- endmacro %}


{% macro inside_quotes(text) -%}
    {{ (text | string).replace('\\', '\\\\').replace("'", "\\'") }}
{%- endmacro %}


{% macro quoted_or_null(text) -%}
    {{ cdc.quoted(text) if text else 'null' }}
{%- endmacro %}
