{#- The texts of the columns that messages encode, each as a person would write it, by the feed's `encodings`, else by the
    row's schema: `_decoded`, a map that has these columns alone. -#}
{% macro decoded_texts(sources) -%}
    {%- set feed_name = model.config.meta.feed -%}
    {%- set declared = cdc.encodings_of_table() -%}
        select
            * except (_wires),
            transform_values(
                map(
                    {%- for column in cdc.decoded_columns(feed_name, sources) %}
                    {{ cdc.quoted(column) }}, struct(
                        _image[{{ cdc.quoted(column) }}] as wire_text,
                        {{ cdc.wire_of_setting(declared[column]) if column in declared else '_wires[' ~ cdc.quoted(column) ~ ']' }} as wire
                    ){{ ',' if not loop.last }}
                    {%- endfor %}
                ),
                (column_name, sent) -> {{ cdc.canonical_text(
                    'sent.wire_text', 'sent.wire', cdc.encodings_of_columns(feed_name, sources), cdc.gold_time_zone(feed_name)
                ) }}
            ) as _decoded
        from latest
{%- endmacro %}


{#- Per schema of the messages, the encodings of the columns that are not written as plain text, by the model's spelling of names.
    `declared`: SQL of the array of these. -#}
{% macro wires_of_schemas(declared) -%}
        with encoded_columns as (

            -- the schema of a message that was not read may name a column twice
            select
                schema_id,
                column_name,
                first(if({{ cdc.is_encoded() }}, struct(wire_encoding, scale, labels), null), true) as wire
            from {{ ref('cdc_schemas') }}
            where format = {{ cdc.quoted(cdc.feed_settings(model.config.meta.feed).format) }}
            group by schema_id, column_name

        ),

        described as (

            select
                schema_id,
                collect_list(struct(column_name, wire)) as schema_columns
            from encoded_columns
            group by schema_id

        )

        select
            schema_id,
            map_from_arrays(
                {{ cdc.spelled_as_declared('schema_columns.column_name', declared) }},
                schema_columns.wire
            ) as wires
        from described
{%- endmacro %}


{#- The values of an image, each with its encoding, by the model's spelling of names. A value that the message carries as NULL
    differs from one that it lacks. `wire`: SQL of the encoding of `column_name`. -#}
{% macro sent_values(image, wire) -%}
    transform_values({{ image }}, (column_name, wire_text) -> struct(wire_text, {{ wire }} as wire))
{%- endmacro %}


{% macro type_of_sent_value() -%}
    struct<wire_text: string, wire: struct<wire_encoding: string, scale: int, labels: array<string>>>
{%- endmacro %}


{#- The encoding of a change's column: of a value that its move left under the old key that of the message that wrote it. -#}
{% macro wire_of_moved_value(left_wires, wires) -%}
    if(map_contains_key({{ left_wires }}, column_name), {{ left_wires }}[column_name], {{ wires }}[column_name])
{%- endmacro %}


{#- `epoch_days`, or with the number that the encoding needs: `connect_decimal(2)`. -#}
{% macro wire_of_setting(setting) -%}
    {%- set parts = setting.rstrip(')').split('(') -%}
    named_struct(
                            'wire_encoding', {{ cdc.quoted(parts[0] | trim) }},
                            'scale', cast({{ parts[1] | int if parts | length > 1 else 'null' }} as int),
                            'labels', cast(null as array<string>)
                        )
{%- endmacro %}


{#- The text of a column of the messages, where `decoded` lists those that are in `_decoded`. -#}
{% macro text_of_column(column, decoded) -%}
    {{ '_decoded' if column in decoded else '_image' }}[{{ cdc.quoted(column) }}]
{%- endmacro %}
