{#- What CloudCanal says of types, in all three of its outputs. -#}

{#- The members of a message that hold its types, as one JSON object: `members` maps each one's name to an expression of its
    JSON text. NULL where a message has none of them. -#}
{% macro _cloudcanal_types(members) -%}
    case
                when coalesce({{ members.values() | join(', ') }}) is not null
                    then concat(
                        '{',
                        concat_ws(
                            ','
                            {%- for name, text in members.items() -%}
                            , concat('"{{ name }}":', {{ text }})
                            {%- endfor -%}
                        ),
                        '}'
                    )
            end
{%- endmacro %}
