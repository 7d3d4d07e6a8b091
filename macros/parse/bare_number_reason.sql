{#- Why a row is not read that has a bare number in a column which the feed's `encodings` call base64; NULL where it has none. The
    text of a number may be well-formed base64 of another value (1234 is the three bytes D76DF8), so that it must be known how it was
    written. The images do not show it: the JSON text of the message is searched.
    `place` lists the columns that name the row's table, `images` those that hold its values as texts. A feed whose `encodings` name
    no such column costs one look into its settings. -#}
{% macro bare_number_reason(place, images, text='text') -%}
    case
                when feed_settings['columns_in_base64'] is not null
                    then get(
                        transform(
                            filter(
                                from_json(feed_settings['columns_in_base64'], 'array<array<string>>'),
                                declared -> exists(
                                    array(
                                        {{ cdc._names_of_table(place) }}
                                    ),
                                    name -> name rlike concat('^(', declared[0], r')\z')
                                )
                                and exists(
                                    array({{ images | join(', ') }}),
                                    image -> exists(
                                        map_keys(image),
                                        column_name -> ({{ cdc._is_column('column_name', 'declared[1]', 'image') }})
                                        and {{ cdc._is_number('image[column_name]') }}
                                        and {{ cdc._is_written_bare('column_name', 'image[column_name]', text) }}
                                    )
                                )
                            ),
                            declared -> concat(
                                declared[1],
                                ' of ',
                                concat_ws('.', {{ place | join(', ') }}),
                                ' is written as a bare number, but the encodings of the feed say that it is base64: take it out of them'
                            )
                        ),
                        0
                    )
            end
{%- endmacro %}


{#- The names that a gold model may have for the table: it may leave out database or schema. -#}
{% macro _names_of_table(place) -%}
    concat_ws('.', {{ place | join(', ') }}),
                                        {%- for part in place[:-1] if place | length > 2 %}
                                        concat_ws('.', {{ part }}, {{ place[-1] }}),
                                        {%- endfor %}
                                        {{ place[-1] }}
{%- endmacro %}


{#- Is a column of the image the one that a feed names? Gold takes a name that differs in case only for it, where the source does. -#}
{% macro _is_column(column_name, named, image) -%}
    {{ column_name }} = {{ named }}
                                        or lower({{ column_name }}) = lower({{ named }}) and not map_contains_key({{ image }}, {{ named }})
{%- endmacro %}


{% macro _is_number(wire_text) -%}
    {{ wire_text }} rlike r'^-?[0-9]+([.][0-9]+)?([eE][-+]?[0-9]+)?\z'
{%- endmacro %}


{#- Does a column have the number as its value in a JSON text without quotes, and nowhere in quotes? -#}
{% macro _is_written_bare(column_name, number, text) -%}
    {{ text }} rlike concat({{ cdc._before_value(column_name) }}, r'\Q', {{ number }}, r'\E\s*[,}]')
                                    and not {{ text }} rlike concat({{ cdc._before_value(column_name) }}, r'"\Q', {{ number }}, r'\E"')
{%- endmacro %}


{#- A regular expression of what comes before a column's value: its name, whose signs and letters beyond ASCII may be escaped, in an
    object that may itself be text, and the members that TiCDC's open protocol puts before a value. -#}
{% macro _before_value(column_name) -%}
    concat(
                                        '"',
                                        regexp_replace(
                                            {{ column_name }}, '[^A-Za-z0-9_]', r'(\\Q$0\\E|(\\\\u[0-9A-Fa-f]{4}){1,2}|\\\\.)'
                                        ),
                                        r'\\*"\s*:\s*(\{[^{}]*"v"\s*:\s*)?'
                                    )
{%- endmacro %}
