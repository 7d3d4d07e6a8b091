{#- The catalogue wants an absolute path; only Spark knows what a relative one is relative to. -#}
{% macro absolute_path(path) -%}
    {%- if path.startswith('/') or '://' in path -%}
        {{ return(path) }}
    {%- endif -%}
    {%- set folder = run_query("select java_method('java.lang.System', 'getProperty', 'user.dir')").rows[0][0] -%}
    {{ return(folder ~ '/' ~ path) }}
{%- endmacro %}
