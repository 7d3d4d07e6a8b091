{#- Each value as the text a person would write, by the feed's `encodings`, else by what its schema tells of it. -#}
{% macro canonical_texts(encodings) -%}
        select
            * except (_image, _wires),
            map_zip_with(
                _image,
                {{ cdc.wires_with_settings() }},
                (column_name, wire_text, wire) -> {{ cdc.canonical_text(
                    'wire_text', 'wire', encodings, cdc.gold_time_zone(model.config.meta.feed)
                ) }}
            ) as _image
        from latest
{%- endmacro %}


{#- What the messages' schemas tell of the columns that are not written as plain text. -#}
{% macro wires_of_schemas() -%}
        select
            schema_id,
            map_from_entries(collect_list(struct(column_name, struct(wire_encoding, scale, labels)))) as wires
        from {{ ref('cdc_schemas') }}
        where
            format = {{ cdc.quoted(cdc.feed_settings(model.config.meta.feed).format) }}
            and {{ cdc.is_encoded() }}
        group by schema_id
{%- endmacro %}


{% macro wires_with_settings() -%}
    {%- set told = cdc.encodings_of_table() -%}
    {%- if told -%}
        map_zip_with(
                    {{ cdc.known_wires() }},
                    map(
                        {%- for column, encoding in told.items() %}
                        {{ cdc.quoted(column) }}, {{ cdc.wire_of_setting(encoding) }}{{ ',' if not loop.last }}
                        {%- endfor %}
                    ),
                    (column_name, wire, wire_of_setting) -> coalesce(wire_of_setting, wire)
                )
    {%- else -%}
        {{ cdc.known_wires() }}
    {%- endif -%}
{%- endmacro %}


{% macro known_wires() -%}
    coalesce(_wires, cast(map() as map<string, struct<wire_encoding: string, scale: int, labels: array<string>>>))
{%- endmacro %}


{#- `epoch_days`, or with the number that the encoding needs: `connect_decimal(2)`. -#}
{% macro wire_of_setting(told) -%}
    {%- set parts = told.rstrip(')').split('(') -%}
    named_struct(
                            'wire_encoding', {{ cdc.quoted(parts[0] | trim) }},
                            'scale', cast({{ parts[1] | int if parts | length > 1 else 'null' }} as int),
                            'labels', cast(null as array<string>)
                        )
{%- endmacro %}
