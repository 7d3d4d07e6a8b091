{#- ISO text of a moment, with a T or a blank between day and time, to the same instant in every session; UTC where it
    names no zone. NULL for anything else. -#}
{% macro _iso_instant(text) -%}
    case
        when {{ text }} rlike r'^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}([.]\d+)?(Z|[-+]\d{2}:\d{2})?$'
            then try_cast(
                concat({{ text }}, if({{ text }} rlike r'(Z|[-+]\d{2}:\d{2})$', '', 'Z')) as timestamp
            )
    end
{%- endmacro %}
