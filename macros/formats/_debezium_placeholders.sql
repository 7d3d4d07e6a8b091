{#- Values that a connector of Debezium did not have. -#}

{#- Columns that hold Debezium's placeholder for a value it did not have: its own, or the one that the feed declares in
    `unavailable_value`. Rule: docs/formats/debezium_json.md, UnchangedToastedPlaceholder. -#}
{% macro unavailable_columns(image) -%}
    if(
        feed_settings['unavailable_value'] is null,
        {{ cdc._columns_with(image, 'wire_text in (' ~ cdc._forms_of_default_placeholder() ~ ')') }},
        transform(
            array({{ cdc._forms_of_placeholder("feed_settings['unavailable_value']") }}),
            forms -> {{ cdc._columns_with(
                image, 'wire_text in (' ~ cdc._forms_of_default_placeholder() ~ ') or array_contains(forms, wire_text)'
            ) }}
        )[0]
    )
{%- endmacro %}


{% macro _columns_with(image, condition) -%}
    coalesce(map_keys(map_filter({{ image }}, (column_name, wire_text) -> {{ condition }})), array())
{%- endmacro %}


{#- The connector writes it in the column's type: as text; as base64 in both alphabets or hexadecimal digits of that text
    (bytes, by binary.handling.mode); as the only element of a list or map of these (text[], bytea[], hstore); as a list
    of its bytes (int[], vectors); as its version 3 UUID (uuid[]). -#}
{% macro _forms_of_default_placeholder() -%}
    '__debezium_unavailable_value',
                    'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ==',
                    '5f5f646562657a69756d5f756e617661696c61626c655f76616c7565',
                    '5F5F646562657A69756D5F756E617661696C61626C655F76616C7565',
                    '["__debezium_unavailable_value"]',
                    '["X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=="]',
                    '["5f5f646562657a69756d5f756e617661696c61626c655f76616c7565"]',
                    '["5F5F646562657A69756D5F756E617661696C61626C655F76616C7565"]',
                    '{"__debezium_unavailable_value":"__debezium_unavailable_value"}',
                    '[95,95,100,101,98,101,122,105,117,109,95,117,110,97,118,97,105,108,97,98,108,101,95,118,97,108,117,101]',
                    '[95.0,95.0,100.0,101.0,98.0,101.0,122.0,105.0,117.0,109.0,95.0,117.0,110.0,97.0,118.0,97.0,105.0,108.0,97.0,98.0,108.0,101.0,95.0,118.0,97.0,108.0,117.0,101.0]',
                    'b68a35a7-17ad-35b3-af2a-ae46edb4545a',
                    '["b68a35a7-17ad-35b3-af2a-ae46edb4545a"]'
{%- endmacro %}


{#- The same forms of any placeholder; `hex:` at its start means that it is in hexadecimal digits, as in the connector's
    own setting. -#}
{% macro _forms_of_placeholder(marker) -%}
    transform(
                array(if(
                    startswith({{ marker }}, 'hex:'), try_to_binary(substring({{ marker }}, 5), 'hex'), encode({{ marker }}, 'UTF-8')
                )),
                bytes -> transform(
                    array(array(
                        make_valid_utf8(cast(bytes as string)),
                        replace(replace(base64(bytes), '\r', ''), '\n', ''),
                        translate(replace(replace(base64(bytes), '\r', ''), '\n', ''), '+/', '-_'),
                        lower(hex(bytes)),
                        hex(bytes),
                        regexp_replace(
                            concat(
                                left(md5(bytes), 12),
                                '3',
                                substring(md5(bytes), 14, 3),
                                lower(hex(cast(conv(substring(md5(bytes), 17, 1), 16, 10) as int) & 3 | 8)),
                                substring(md5(bytes), 18)
                            ),
                            '^(.{8})(.{4})(.{4})(.{4})',
                            '$1-$2-$3-$4-'
                        )
                    )),
                    texts -> concat(
                        texts,
                        transform(texts, text -> to_json(array(text))),
                        array(
                            to_json(map(texts[0], texts[0])),
                            concat('[', array_join(transform(
                                regexp_extract_all(hex(bytes), '..', 0), digits -> conv(digits, 16, 10)
                            ), ','), ']'),
                            concat('[', array_join(transform(
                                regexp_extract_all(hex(bytes), '..', 0), digits -> concat(conv(digits, 16, 10), '.0')
                            ), ','), ']')
                        )
                    )
                )[0]
            )[0]
{%- endmacro %}
