{#- Debezium with the Avro converter of a schema registry, from every connector: decoded to the JSON that Debezium's JSON
    converter writes, and read as that.
    Surprise: a record names its schema by a number only; the text is in the folder that the feed declares.
    Rules: docs/formats/debezium_avro.md -#}

{% macro parse_debezium_avro(messages) -%}
    {%- set schemas = cdc.avro_schemas('debezium_avro', files='/[0-9]*.avsc') -%}
    with framed as (

        select
            *,
            {{ cdc.registry_schema_file('value') }} as value_schema_file,
            {{ cdc.registry_schema_file('key') }} as key_schema_file
        from {{ messages }}

    ),

    decoded_records as (

        select
            *,
            {{ cdc._registry_record_as_json('value', schemas) }} as value_json,
            {{ cdc._registry_record_as_json('key', schemas) }} as key_json,
            case value_schema_file
                {%- for schema in schemas %}
                when {{ cdc.quoted(schema.file) }} then {{ cdc.quoted(schema.text) }}
                {%- endfor %}
            end as value_schema
        from framed

    ),

    texts as (

        select
            *,
            {{ cdc.whole_avro_json('value_json') }} as text,
            -- keys may have a converter of their own
            if(key_schema_file is null, cast(key as string), {{ cdc.whole_avro_json('key_json') }}) as key_text
        from decoded_records

    ),

    keyed_texts as (

        select
            * except (value_schema),
            case when text is not null then value_schema end as value_schema,
            key_schema_file is not null as is_key_encoded,
            {{ cdc._unread_avro_key() }} as odd_key_error,
            {{ cdc._unread_avro_value() }} as undecodable_error,
            case when text is null then cast(value as string) end as foreign_text
        from texts

    ),

    {{ cdc._debezium_messages('keyed_texts') }},

    {{ cdc._debezium_parsed_rows('imaged', 'debezium_avro') }}

    {{ cdc.to_change_contract('parsed_rows') }}
{%- endmacro %}


{#- The JSON of a Kafka `value` or `key`, by the schema that its header names. In a lambda function, as the code of any number of
    schemas would be one large method. -#}
{% macro _registry_record_as_json(bytes, schemas) -%}
    get(
                transform(
                    array(substring({{ bytes }}, 6)),
                    record -> case {{ bytes }}_schema_file
                        {%- for schema in schemas %}
                        when {{ cdc.quoted(schema.file) }} then {{ cdc.avro_as_json('record', schema.text) }}
                        {%- endfor %}
                    end
                ),
                0
            )
{%- endmacro %}


{% macro _unread_avro_value() -%}
    case
        when length(value) = 0 then 'the value is empty'
        when not startswith(value, X'00')
            then 'the value is not Avro with the header of a schema registry: its first byte is not zero'
        when length(value) < 5 then 'the value ends within the header of the schema registry'
        when value_json is null then {{ cdc._unknown_schema('value', 'the value') }}
        else concat('the value is not one whole record of the Avro schema ', {{ cdc.registry_schema_id('value') }})
    end
{%- endmacro %}


{% macro _unread_avro_key() -%}
    case
        when key_schema_file is null
            then 'the Kafka key is neither Avro nor a JSON object: name the key columns of this table in the feed'
        when key_json is null then {{ cdc._unknown_schema('key', 'the Kafka key') }}
        else concat('the Kafka key is not one whole record of the Avro schema ', {{ cdc.registry_schema_id('key') }})
    end
{%- endmacro %}


{% macro _unknown_schema(bytes, what) -%}
    concat(
        'there is no Avro schema ', {{ cdc.registry_schema_id(bytes) }}, ', which {{ what }} names: put ',
        {{ cdc.registry_schema_id(bytes) }}, '.avsc into the folder avro_schemas of the feed'
    )
{%- endmacro %}
