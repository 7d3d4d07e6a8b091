{#- What CloudCanal says of types, in its outputs of Canal's kind and its own. -#}

{#- The members of `message` that hold its types, which `names` lists, as one JSON object; NULL where it has none of them. -#}
{% macro _cloudcanal_types(names) -%}
    case
                when coalesce(
                    {%- for name in names %}
                    message.{{ name }}{{ ',' if not loop.last }}
                    {%- endfor %}
                ) is not null
                    then concat(
                        '{',
                        concat_ws(
                            ','
                            {%- for name in names -%}
                            , concat('"{{ name }}":', {{ cdc.without_marks('message.' ~ name) }})
                            {%- endfor -%}
                        ),
                        '}'
                    )
            end
{%- endmacro %}
