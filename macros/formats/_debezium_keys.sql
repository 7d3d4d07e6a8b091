{#- The Kafka key of Debezium's formats as columns. -#}

{#- A Kafka key, or a header that holds one, with its fractions marked: NULL for anything that is no JSON object.
    `key_image` takes the columns out of it, and out of a schema block if there is one: NULL where there is no column,
    or one occurs twice. -#}
{% macro decode_key(text) -%}
    from_json(
        concat('{"flat":', {{ text }}, ',"wrapped":', {{ text }}, '}'),
        'flat map<string, string>, wrapped struct<payload map<string, string>>'
    )
{%- endmacro %}


{% macro key_image(decoded) -%}
    transform_values(
        case
            when map_contains_key({{ decoded }}.flat, 'schema') and map_contains_key({{ decoded }}.flat, 'payload')
                and ({{ decoded }}.wrapped.payload is not null or {{ decoded }}.flat['payload'] is null)
                then case when {{ cdc.can_be_key(decoded ~ '.wrapped.payload') }} then {{ decoded }}.wrapped.payload end
            when {{ cdc.can_be_key(decoded ~ '.flat') }} then {{ decoded }}.flat
        end,
        (column_name, wire_text) -> if(
            startswith(wire_text, '{'), {{ cdc.extended_json_value('wire_text') }}, {{ cdc.unmarked('wire_text') }}
        )
    )
{%- endmacro %}


{#- MongoDB's message key is the JSON of `_id` as a text, with blanks as a release of its driver writes them. A wrapped number becomes
    the number, as in a document, and any other wrapped value has no blanks; a text that is none of them stays as it is. -#}
{% macro extended_json_value(text) -%}
    regexp_replace(
                regexp_replace(
                    {{ text }}, r'^[{]\s*"[$]number(?:Int|Long|Double|Decimal)"\s*:\s*"([^"]*)"\s*[}]\z', '$1'
                ),
                r'^[{]\s*("[$]\w+")\s*:\s*("[^"]*")\s*[}]\z', '{$1:$2}'
            )
{%- endmacro %}


{#- The image of a row with the columns of its Kafka key that a filter of columns has taken out of the message: a connector leaves
    the key whole. MongoDB's key has another name than its field. An image with a repeated column, which is an error, would stop the
    statement here. Rule: docs/formats/debezium_json.md, Keys. -#}
{% macro with_key_columns(image, sent, is_kept_as_sent="connector <=> 'mongodb'") -%}
    if(
                cardinality(array_except(map_keys(key_image), map_keys({{ sent }}))) > 0 and not ({{ is_kept_as_sent }})
                and not {{ cdc.has_repeated_column(sent) }},
                map_concat(
                    map_filter(key_image, (column_name, wire_text) -> not map_contains_key({{ sent }}, column_name)),
                    {{ image }}
                ),
                {{ image }}
            )
{%- endmacro %}
