{#- Debezium's envelope, which other tools write as well: its message, wherever it is, and what an image of it may be. -#}

{#- The fields of an envelope whose message is under `payload`, or at the root; `fields` names the message's. -#}
{% macro envelope_fields(fields) -%}
    {%- set body = [] -%}
    {%- for name, type in fields.items() -%}
        {%- do body.append('`' ~ name ~ '` ' ~ type) -%}
    {%- endfor -%}
    {{ body | join(',\n                ') }},
                `schema` string,
                payload struct<{{ body | join(',\n                ') }}>
{%- endmacro %}


{#- The message of such an envelope, wherever it is. -#}
{% macro message_of_envelope(envelope, fields) -%}
    coalesce(
        {{ envelope }}.payload,
        case
            when {{ envelope }} is not null
                then named_struct(
                    {%- for name in fields %}
                    '{{ name }}', {{ envelope }}.{{ name }}{{ ',' if not loop.last }}
                    {%- endfor %}
                )
        end
    )
{%- endmacro %}


{#- A document that is JSON text inside a message (MongoDB). A number that extended JSON wraps is this number. -#}
{% macro document(text) -%}
    transform_values(
        from_json({{ cdc.mark_fractions(text) }}, 'map<string, string>'),
        (field, wire_text) -> case
            when startswith(wire_text, '\uFDD0\uFDD1') then substring(wire_text, 3)
            when wire_text like '{"$number%'
                then regexp_replace(wire_text, r'^[{]"[$]number(?:Int|Long|Double|Decimal)"\s*:\s*"([^"]*)"[}]\z', '$1')
            else {{ cdc.without_marks('wire_text') }}
        end
    )
{%- endmacro %}


{#- True where `before` is there, but neither null nor an object. -#}
{% macro has_wrong_before(text) -%}
    (
        {{ text }} rlike r'[{,]\s*"before"\s*:\s*["0-9\[tf-]'
        and {{ text }} not rlike r'"before"\s*:\s*null'
    )
{%- endmacro %}


{#- True for the word null, and for the empty envelope that old releases of Kafka Connect write instead of no value. -#}
{% macro is_null_text(text) -%}
    (
        {{ text }} = 'null'
        or octet_length({{ text }}) < 200
        and {{ text }} rlike r'^\s*[{]\s*"(schema|payload)"\s*:\s*null\s*,\s*"(?!\1)(schema|payload)"\s*:\s*null\s*[}]\s*$'
    )
{%- endmacro %}


{#- The images of a message of Debezium's envelope as maps of variants, under `payload` or at the root. -#}
{% macro row_tokens(text) -%}
    transform(
                    array(from_json(
                        {{ text }},
                        'payload struct<before map<string, variant>, after map<string, variant>>,
                        before map<string, variant>, after map<string, variant>'
                    )),
                    message -> coalesce(message.payload, named_struct('before', message.before, 'after', message.after))
                )[0]
{%- endmacro %}
