{#- A name that came from a message or a configuration, quoted wherever it is more than a plain word. -#}
{% macro identifier(name) -%}
    {%- if modules.re.fullmatch('[a-z_][a-z0-9_]*', name) -%}
        {{ name }}
    {%- else -%}
        `{{ name.replace('`', '``') }}`
    {%- endif -%}
{%- endmacro %}


{% macro quoted_list(names) -%}
    {%- for name in names -%}{{ quoted(name) }}{{ ', ' if not loop.last }}{%- endfor -%}
{%- endmacro %}
