{#- PostgreSQL's connector makes up the key of a delete that it was not sent, as with REPLICA IDENTITY USING INDEX: such a delete would remove
    another row, and is not read. -#}

{#- What PostgreSQL's connector writes for a value that it was not sent, in a column that is NOT NULL: the column's default, else a
    zero of its type. `defaults` is from `defaults_of_columns`; NULL for a value that is NULL.
    https://github.com/debezium/debezium/blob/v3.4.0.Final/debezium-core/src/main/java/io/debezium/jdbc/JdbcValueConverters.java -#}
{% macro _is_value_for_none(defaults, column_name, wire_text) -%}
    coalesce(
                                {{ wire_text }} = get(filter({{ defaults }}, one -> one.column_name = {{ column_name }}), 0).wire_text,
                                {{ wire_text }} rlike {{ cdc._zeros() }}
                            )
{%- endmacro %}


{#- The zeros, as a pattern: numbers of any scale, texts, booleans, bytes, decimals in base64, lists, maps, JSON, days and times of any
    precision, intervals, UUIDs, points, PostGIS' empty geometry. The members of an object have any order. -#}
{% macro _zeros() -%}
    r'^(-?0([.]0+)?([eE][-+]?[0-9]+)?|false|A{2}==|A{3}=|\[\]|1970-01-01(T00:00:00([.]0+)?)?Z?|00:00:00([.]0+)?Z?'
                                || r'|P0Y0M0DT0H0M0S|0{8}-0{4}-0{4}-0{4}-0{12}|[{](("scale":-?[0-9]+,"value":"AA=="|"value":"AA==","scale":-?[0-9]+'
                                || r'|"[xy]":0[.]0|"wkb":"(AQEAAAAAAAAAAAAAAAAAAAAAAAAA|AQcAAAAAAAAA)"|"srid":null),?)*[}]|)\z'
{%- endmacro %}


{#- The defaults that the types of a message show, as a list of column_name and wire_text: of a row's schema block, or of `before` in
    that of Debezium's envelope. Avro has the type of `before` as a text, a union with null: it is read from its first brace on.
    Fractions are marked, so that they keep every digit. -#}
{% macro defaults_of_columns(block) -%}
    transform(
                        filter(
                            transform(
                                array(from_json(
                                    {{ cdc.mark_fractions(block) }},
                                    'fields array<struct<field string, name string, `default` string, type string, '
                                    || 'fields array<struct<field string, name string, `default` string>>>>'
                                ).fields),
                                fields -> transform(
                                    array(get(filter(fields, one -> coalesce(one.field, one.name) = 'before'), 0)),
                                    row_before -> coalesce(
                                        row_before.fields,
                                        from_json(
                                            substring(row_before.type, instr(row_before.type, '{')),
                                            'fields array<struct<field string, name string, `default` string>>'
                                        ).fields,
                                        transform(fields, one -> struct(one.field, one.name, one.default))
                                    )
                                )[0]
                            )[0],
                            one -> one.default is not null
                        ),
                        one -> struct(
                            coalesce(one.field, one.name) as column_name, {{ cdc.unmarked('one.default') }} as wire_text
                        )
                    )
{%- endmacro %}


{#- May the key of a delete be made up? A part of it is a value for none, and the row before it has values of columns outside the
    key, as PostgreSQL sends them with REPLICA IDENTITY USING INDEX. -#}
{% macro may_be_made_up(image, defaults) -%}
    (
                        exists(
                            arrays_zip(key_names, key_of_row),
                            part -> {{ cdc._is_value_for_none(defaults, 'part.key_names', 'part.key_of_row') }}
                        )
                        and cardinality({{ cdc._columns_with_a_value(image, defaults) }}) > 0
                    )
{%- endmacro %}


{#- The columns outside the key that have a value of their own. -#}
{% macro _columns_with_a_value(image, defaults) -%}
    map_keys(map_filter(
                            {{ cdc.without_columns(image, 'key_names') }},
                            (column_name, wire_text) -> not {{ cdc._is_value_for_none(defaults, 'column_name', 'wire_text') }}
                        ))
{%- endmacro %}


{% macro made_up_key_reason(image, defaults) -%}
    concat(
                        'the Kafka key of this delete (',
                        array_join(zip_with(key_names, key_of_row, (name, part) -> concat(name, ' = ', part)), ', '),
                        ') may be made up, as with REPLICA IDENTITY USING INDEX: the row before it has values of other columns (',
                        array_join(array_sort({{ cdc._columns_with_a_value(image, defaults) }}), ', '),
                        '), which may be its own or made up too. Give the table REPLICA IDENTITY DEFAULT, and its messages schema blocks, ',
                        'which show the defaults of columns; or REPLICA IDENTITY FULL, and say before_images: complete in the feed'
                    )
{%- endmacro %}
