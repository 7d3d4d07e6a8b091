{#- Spark's decimal of these digits; string where it has none: more than 38 digits, or a decimal point before or after all of them. -#}
{% macro decimal_type(precision, scale) -%}
    if(
                    {{ scale }} >= 0 and {{ precision }} between greatest({{ scale }}, 1) and 38,
                    concat('decimal(', {{ precision }}, ',', {{ scale }}, ')'),
                    'string'
                )
{%- endmacro %}
