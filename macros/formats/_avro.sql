{#- What every binary Avro format needs to read a record without losing or guessing anything. -#}

{#- One Avro record as a struct of `record` and `_end`; fields of it are NULL where the bytes are no such record. Spark
    alone takes bytes behind the record in silence: a mark is put behind them, and a record is whole only if the mark is
    found where it belongs. `schema` is the record's Avro schema, a constant. -#}
{% macro decode_avro(bytes, schema) -%}
    from_avro(
        concat({{ bytes }}, X'{{ _avro_end_mark() }}'),
        '{"type": "record", "name": "Marked", "fields": [
            {"name": "record", "type": {{ schema }}},
            {"name": "_end", "type": {"type": "fixed", "name": "EndMark", "size": 8}}
        ]}',
        map('mode', 'PERMISSIVE', 'enableStableIdentifiersForUnionType', 'true')
    )
{%- endmacro %}


{% macro decoded_avro(marked_record) -%}
    case when {{ marked_record }}._end = X'{{ _avro_end_mark() }}' then {{ marked_record }}.record end
{%- endmacro %}


{% macro _avro_end_mark() -%}
    0FED5EA1C0DEBA5E
{%- endmacro %}
