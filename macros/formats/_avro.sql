{#- What every binary Avro format needs to read a record without losing or guessing anything. -#}

{#- One Avro record as a struct of `record` and `_end`; fields of it are NULL where the bytes are no such record. Spark
    by itself ignores bytes after the record, without an error: a mark is added at their end, and a record is whole only if
    the mark is found where it belongs. `schema` is the record's Avro schema, a constant. -#}
{% macro decode_avro(bytes, schema) -%}
    from_avro(
        concat({{ bytes }}, X'{{ cdc._avro_end_mark() }}'),
        '{"type": "record", "name": "Marked", "fields": [
            {"name": "record", "type": {{ schema }}},
            {"name": "_end", "type": {"type": "fixed", "name": "EndMark", "size": 8}}
        ]}',
        map('mode', 'PERMISSIVE', 'enableStableIdentifiersForUnionType', 'true')
    )
{%- endmacro %}


{% macro decoded_avro(marked_record) -%}
    case when {{ marked_record }}._end = X'{{ cdc._avro_end_mark() }}' then {{ marked_record }}.record end
{%- endmacro %}


{% macro _avro_end_mark() -%}
    0FED5EA1C0DEBA5E
{%- endmacro %}


{#- The same record as JSON text, exact and with every field, from one decode: a struct of any shape, where
    `decode_avro` needs one. `whole_avro_json` takes the record out of it; NULL where the bytes are no such record.
    Logical types get other names, because Spark refuses decimals of more than 38 digits: values stay what the bytes hold. -#}
{% macro avro_as_json(bytes, schema_text) -%}
    {%- set plain = cdc.inside_quotes(schema_text).replace('"logicalType":', '"connect.logicalType":').replace('"logicalType" :', '"connect.logicalType" :') -%}
    to_json({{ cdc.decode_avro(bytes, plain) }}, map('ignoreNullFields', 'false'))
{%- endmacro %}


{% macro whole_avro_json(marked_json) -%}
    {#- the end mark in base64, as JSON writes bytes -#}
    {%- set ending = ',"_end":"D+1eocDeul4="}' -%}
    case
        when endswith({{ marked_json }}, '{{ ending }}')
            then substring(
                {{ marked_json }},
                {{ '{"record":' | length + 1 }},
                length({{ marked_json }}) - {{ ('{"record":' ~ ending) | length }}
            )
    end
{%- endmacro %}


{#- The file that holds the schema of a record with the header of a schema registry: a zero byte and the schema's number
    in four bytes. NULL where the bytes have no such header. -#}
{% macro registry_schema_file(bytes) -%}
    case
        when {{ cdc.has_registry_header(bytes) }}
            then concat(rtrim('/', feed_settings['avro_schemas']), '/', {{ cdc.registry_schema_id(bytes) }}, '.avsc')
    end
{%- endmacro %}


{% macro has_registry_header(bytes) -%}
    (length({{ bytes }}) >= 5 and substring({{ bytes }}, 1, 1) = X'00')
{%- endmacro %}


{% macro registry_schema_id(bytes) -%}
    conv(hex(substring({{ bytes }}, 2, 4)), 16, 10)
{%- endmacro %}
