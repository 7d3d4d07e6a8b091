{#- What Debezium's Avro says of a table's columns: the record that `before` and `after` of the value's schema have in
    common, spelled out in the first of them. Kafka Connect keeps its own types in the schema's `connect.` attributes,
    read as debezium_json's schema block. Surprise: a type that was spelled out before is only its name. -#}

{% macro debezium_avro_columns(schemas) -%}
    with decoded as (

        select
            schema_id,
            from_json(schema_text, 'bare_numbers array<string>, fields array<struct<name string, type string>>') as block
        from {{ schemas }}

    ),

    row_types as (

        select
            schema_id,
            block,
            get(
                filter(
                    transform(
                        filter(block.fields, part -> part.name in ('before', 'after')),
                        part -> {{ cdc._avro_type('part.type') }}
                    ),
                    row_type -> startswith(row_type, '{')
                ),
                0
            ) as row_type
        from decoded

    ),

    blocks as (

        select
            schema_id,
            block.bare_numbers,
            {{ cdc._connect_fields_of_avro('row_type') }} as fields,
            exists(
                block.fields,
                part -> part.name = 'source' and part.type rlike 'io[.]debezium[.]connector[.](mysql|mariadb)'
            ) as is_mysql
        from row_types

    ),

    {{ cdc._connect_columns('blocks') }}
{%- endmacro %}


{#- The type in a field's type text: of a union the member that is not null. -#}
{% macro _avro_type(type_text) -%}
    if(
        startswith({{ type_text }}, '['),
        get(filter(from_json({{ type_text }}, 'array<string>'), member -> member <> 'null'), 0),
        {{ type_text }}
    )
{%- endmacro %}


{#- The fields of an Avro record, given as its schema's text, as those of a Kafka Connect block. -#}
{% macro _connect_fields_of_avro(record_type) -%}
    transform(
        transform(
            transform(
                from_json({{ record_type }}, 'fields array<struct<name string, type string>>').fields,
                part -> named_struct(
                    'field', part.name,
                    'optional', startswith(part.type, '[') and contains(part.type, '"null"'),
                    'type', {{ cdc._avro_type('part.type') }}
                )
            ),
            part -> named_struct(
                'field', part.field,
                'optional', part.optional,
                'type', {{ cdc._spelled_out('part.type') }}
            )
        ),
        part -> named_struct(
            'field', part.field,
            'type', {{ cdc._connect_type('part.type') }},
            'name', part.type.`connect.name`,
            'optional', part.optional,
            'parameters', part.type.`connect.parameters`,
            'items', named_struct(
                'type', {{ cdc._connect_type(cdc._spelled_out(cdc._avro_type('part.type.items'))) }},
                'name', {{ cdc._spelled_out(cdc._avro_type('part.type.items')) }}.`connect.name`
            )
        )
    )
{%- endmacro %}


{#- An Avro type as an object, also where there is only its name. -#}
{% macro _spelled_out(type_text) -%}
    from_json(
        if(startswith({{ type_text }}, '{'), {{ type_text }}, concat('{"type":"', {{ type_text }}, '"}')),
        'type string, `connect.name` string, `connect.type` string, `connect.parameters` map<string, string>, items string'
    )
{%- endmacro %}


{#- Kafka Connect's name of an Avro type: its short whole numbers are Avro's int. -#}
{% macro _connect_type(avro_type) -%}
    coalesce(
        {{ avro_type }}.`connect.type`,
        case {{ avro_type }}.type
            when 'int' then 'int32'
            when 'long' then 'int64'
            when 'float' then 'float32'
            when 'double' then 'float64'
            else {{ avro_type }}.type
        end
    )
{%- endmacro %}
