{#- A SQL string literal, on one line; text from a configuration or a message is data, never SQL. -#}
{% macro quoted(text) -%}
    '{{ cdc.inside_quotes(text).replace('\n', '\\n') }}'
{%- endmacro %}


{#- Spark would put a setting, or a variable of the environment, in the place of ${...}, which it looks for in literals too. -#}
{% macro inside_quotes(text) -%}
    {{ (text | string).replace('\\', '\\\\').replace("'", "\\'").replace('${', '\\u0024{') }}
{%- endmacro %}


{% macro quoted_or_null(text) -%}
    {{ cdc.quoted(text) if text else 'null' }}
{%- endmacro %}
