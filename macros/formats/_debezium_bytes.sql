{#- Numbers that Kafka Connect writes bare where the schema block says bytes. -#}

{#- A schema block, with the names of the columns that hold a bare number where it says bytes, as `bare_numbers`: Kafka
    Connect writes such Decimals with decimal.format=NUMERIC, and no block shows it. The text of a number may be
    well-formed base64, so that whoever reads it must know how it was written. `tokens` are the images as maps of
    variants; they are made where a text looks like a number, which base64 seldom does. -#}
{% macro block_with_bare_numbers(block, before, after, tokens) -%}
    case
        when contains({{ block }}, '"bytes"')
            then transform(
                array({{ cdc._columns_of_bytes(block) }}),
                byte_columns -> if(
                    exists(
                        byte_columns,
                        byte_column -> coalesce({{ cdc._is_number(before ~ '[byte_column]') }}, false)
                        or coalesce({{ cdc._is_number(after ~ '[byte_column]') }}, false)
                    ),
                    transform(
                        array({{ tokens }}),
                        token -> transform(
                            array(
                                filter(
                                    byte_columns,
                                    byte_column -> not {{ cdc._is_quoted('token.before[byte_column]') }}
                                    and not {{ cdc._is_quoted('token.after[byte_column]') }}
                                )
                            ),
                            bare_numbers -> if(
                                exists(
                                    bare_numbers,
                                    byte_column -> {{ cdc._is_bare('token.before[byte_column]') }}
                                    or {{ cdc._is_bare('token.after[byte_column]') }}
                                ),
                                concat('{"bare_numbers":', to_json(bare_numbers), ',', substring({{ block }}, 2)),
                                {{ block }}
                            )
                        )[0]
                    )[0],
                    {{ block }}
                )
            )[0]
        else {{ block }}
    end
{%- endmacro %}


{#- The columns of a block whose type is bytes, Decimals among them: of a flat row, or of `before` and `after`. -#}
{% macro _columns_of_bytes(block) -%}
    transform(
                    array(from_json(
                        {{ block }},
                        'fields array<struct<field string, type string, fields array<struct<field string, type string>>>>'
                    ).fields),
                    fields -> transform(
                        filter(
                            concat(
                                transform(fields, one -> struct(one.field, one.type)),
                                flatten(filter(
                                    transform(filter(fields, one -> one.field in ('before', 'after')), one -> one.fields),
                                    columns -> columns is not null
                                ))
                            ),
                            one -> one.type = 'bytes'
                        ),
                        one -> one.field
                    )
                )[0]
{%- endmacro %}


{% macro _is_quoted(token) -%}
    coalesce(schema_of_variant({{ token }}) = 'STRING', false)
{%- endmacro %}


{% macro _is_bare(token) -%}
    coalesce(schema_of_variant({{ token }}) not in ('STRING', 'VOID'), false)
{%- endmacro %}
