{#- A name that came from a message or a configuration, quoted wherever it is more than a plain word, or one that is a value. -#}
{% macro identifier(name) -%}
    {%- if modules.re.fullmatch('[a-z_][a-z0-9_]*', name) and name not in ('true', 'false', 'null') -%}
        {{ name }}
    {%- else -%}
        `{{ name.replace('`', '``') }}`
    {%- endif -%}
{%- endmacro %}


{% macro quoted_list(names) -%}
    {%- for name in names -%}{{ cdc.quoted(name) }}{{ ', ' if not loop.last }}{%- endfor -%}
{%- endmacro %}


{#- An expression as a column of this name; a column that already has it, `rows.name`, gets no alias. -#}
{% macro as_column(expression, name) -%}
    {{ expression }}{{ ' as ' ~ name if not modules.re.fullmatch('[a-z_]+[.]' ~ name, expression) }}
{%- endmacro %}
