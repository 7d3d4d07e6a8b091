{#- The parts of a type's text: of `Number(12, -2)` the word is number, the length 12, the digits -2. -#}

{% macro type_word(type_text) -%}
    lower(regexp_extract({{ type_text }}, '^ *([A-Za-z0-9_]+)', 1))
{%- endmacro %}


{% macro type_length(type_text) -%}
    cast(regexp_extract({{ type_text }}, r'^[^(]*\( *(\d+)', 1) as int)
{%- endmacro %}


{% macro type_digits(type_text) -%}
    cast(regexp_extract({{ type_text }}, r'^[^(]*\( *\d+ *, *(-?\d+)', 1) as int)
{%- endmacro %}
