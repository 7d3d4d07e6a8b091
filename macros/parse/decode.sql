{#- Expressions that every JSON format needs to read a message without losing or guessing anything. -#}

{#- Bytes to the text of one JSON document: a byte order mark is skipped, and a whole document that was encoded as a JSON
    string is unwrapped once. NULL where the bytes are not UTF-8, or that string is broken. -#}
{% macro json_text(value) -%}
    case
        when try_validate_utf8(cast({{ value }} as string)) like '"%'
            then get_json_object(concat('[', cast({{ value }} as string), ']'), '$[0]')
        else ltrim('\uFEFF', try_validate_utf8(cast({{ value }} as string)))
    end
{%- endmacro %}


{#- The first CTEs of a format that may write bare fractions: `marked` has the document as `text`, and with its fractions marked as `exact_text`. -#}
{% macro marked_messages(messages) -%}
    texts as (

        select
            *,
            {{ cdc.json_text('value') }} as text
        from {{ messages }}

    ),

    marked as (

        select
            *,
            {{ cdc.mark_fractions('text') }} as exact_text
        from texts

    )
{%- endmacro %}


{#- The same with the Kafka key: `key_text`, and with its fractions marked `exact_key`. -#}
{% macro marked_messages_and_keys(messages) -%}
    texts as (

        select
            *,
            {{ cdc.json_text('value') }} as text,
            cast(key as string) as key_text
        from {{ messages }}

    ),

    marked as (

        select
            *,
            {{ cdc.mark_fractions('text') }} as exact_text,
            {{ cdc.mark_fractions('key_text') }} as exact_key
        from texts

    )
{%- endmacro %}


{#- The same as marked_messages, and `decoded` with the `message`: the struct of `fields`, NULL where the value is not one whole object. -#}
{% macro exact_messages(messages, fields) -%}
    {{ cdc.marked_messages(messages) }},

    parsed as (

        select
            *,
            {{ cdc.decode_object('exact_text', fields) }} as marked_object
        from marked

    ),

    decoded as (

        select
            *,
            {{ cdc.decoded_object('marked_object') }} as message
        from parsed

    )
{%- endmacro %}


{#- One JSON object as a struct; NULL for anything else. Spark by itself accepts cut-off text, a
    second document and trailing garbage without an error: the object gets a last member, and is good only if it is found.
    The text is cut as bytes, whose number is known: characters would have to be counted. -#}
{% macro decode_object(text, fields) -%}
    from_json(
        case
            when endswith({{ text }}, '}') then {{ cdc._with_end(text) }}
            when endswith(rtrim('\t\n\r ', {{ text }}), '}') then {{ cdc._with_end("rtrim('\\t\\n\\r ', " ~ text ~ ")") }}
        end,
        'struct<{{ fields }}, _end int>'
    )
{%- endmacro %}


{% macro _with_end(text) -%}
    cast(
                concat(
                    substring(cast({{ text }} as binary), 1, octet_length({{ text }}) - 1),
                    cast(
                        if(octet_length({{ text }}) < 100 and {{ text }} rlike r'^\s*\{\s*\}$', '"_end":1}', ',"_end":1}')
                        as binary
                    )
                ) as string
            )
{%- endmacro %}


{% macro decoded_object(marked_object) -%}
    case when {{ marked_object }}._end = 1 then {{ marked_object }} end
{%- endmacro %}


{#- Why no object came out of a record, as a sentence for a person. -#}
{% macro undecodable_reason(value, text) -%}
    case
        when try_validate_utf8(cast({{ value }} as string)) is null then 'the value is not UTF-8 text'
        when {{ text }} is null then 'the value is a broken JSON string'
        when trim({{ text }}) = '' then 'the value is empty'
        when trim({{ text }}) = 'null' then 'the value is the JSON word null'
        when not startswith(ltrim({{ text }}), '{') then 'the value is not a JSON object'
        else 'the value is not one whole JSON object: it is cut off, followed by more text,'
            || ' or larger or deeper than the parser takes'
    end
{%- endmacro %}


{#- Why a record without a value is not read, in a format of whose Kafka key no row is read; NULL where there is no Kafka key either:
    no compacted topic takes such a record. -#}
{% macro lost_delete_reason() -%}
    case
        when key is not null
            then 'a Kafka key without a value: on a compacted topic it may be all that is left of a delete, but of this format no row'
                || ' is read from the key'
    end
{%- endmacro %}


{#- JSON passes bare fractions through a double: 1.10 becomes 1.1. Quoted after a mark they keep
    every digit, and a bare NaN stays what it is; `exact_numbers` takes the marks away again. Whole numbers are exact
    anyway.
    The mark is two code points that Unicode keeps free of characters. Each match begins where the last one ended and steps
    over whole texts and whole numbers, so that the text "a:1.5" is left alone, and a fraction is found wherever it
    is: in a list, after any blanks, under any column name. What is no JSON stays none. Java is quicker with greedy loops
    over one sign in atomic groups than with possessive ones, and other loops use up the stack.
    Rule: docs/formats/debezium_json.md. -#}
{% macro mark_fractions(text) -%}
    regexp_replace(
        {{ text }},
        r'(?s)\G((?>"[^"\\]*(?>\\.[^"\\]*)*+"[^-"0-9NI]*|-?[0-9]+(?![.eE0-9])[^-"0-9NI]*|[^-"0-9NI]+'
        || r'|(?!{{ cdc._fraction() }})[-0-9NI])*+)({{ cdc._fraction() }})',
        '$1"\uFDD0\uFDD1$2"'
    )
{%- endmacro %}


{#- A number that JSON passes through a double, or one that it does not know. -#}
{% macro _fraction() -%}
    (?:-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++(?:[eE][-+]?[0-9]++)?|[eE][-+]?[0-9]++)|NaN|-?Infinity)(?=\s*+[,\]}])
{%- endmacro %}


{#- A text without the marks of mark_fractions: numbers inside JSON text are bare again. -#}
{% macro without_marks(text) -%}
    case
        when contains({{ text }}, '\uFDD0\uFDD1')
            then regexp_replace({{ text }}, '"\uFDD0\uFDD1([^"]*+)"', '$1')
        else {{ text }}
    end
{%- endmacro %}


{#- A text that is one marked number or anything else, without the mark. -#}
{% macro unmarked(text) -%}
    if(startswith({{ text }}, '\uFDD0\uFDD1'), substring({{ text }}, 3), {{ text }})
{%- endmacro %}


{#- The image with every marked number as its own text; `text` is what the image was decoded from. -#}
{% macro exact_numbers(image, text) -%}
    case
        when contains({{ text }}, '\uFDD0\uFDD1')
            then transform_values(
                {{ image }},
                (column_name, wire_text) -> case
                    when startswith(wire_text, '\uFDD0\uFDD1') then substring(wire_text, 3)
                    else {{ cdc.without_marks('wire_text') }}
                end
            )
        else {{ image }}
    end
{%- endmacro %}


{#- True where a column name occurs twice in one row image; NULL where there is no image. -#}
{% macro has_repeated_column(image) -%}
    (size({{ image }}) > 1 and size({{ image }}) <> size(array_distinct(map_keys({{ image }}))))
{%- endmacro %}


{#- Can an image be a key? It has columns, and none of them twice. -#}
{% macro can_be_key(image) -%}
    (cardinality({{ image }}) > 0 and not {{ cdc.has_repeated_column(image) }})
{%- endmacro %}


{#- Values of the key columns in their order; NULL unless the image has all of them. -#}
{% macro key_values(key_columns, image) -%}
    case
        when forall({{ key_columns }}, key_column -> map_contains_key({{ image }}, key_column))
            then transform({{ key_columns }}, key_column -> {{ image }}[key_column])
    end
{%- endmacro %}


{#- The same, each value from the first of two images that has the column. -#}
{% macro key_values_of_either(key_columns, first, second) -%}
    case
        when forall(
            {{ key_columns }},
            key_column -> coalesce(map_contains_key({{ first }}, key_column), false)
            or coalesce(map_contains_key({{ second }}, key_column), false)
        )
            then transform(
                {{ key_columns }},
                key_column -> if(
                    coalesce(map_contains_key({{ first }}, key_column), false),
                    {{ first }}[key_column],
                    {{ second }}[key_column]
                )
            )
    end
{%- endmacro %}


{#- Has a key column another value before the change than after it? Columns that `values_before` lacks did not change. -#}
{% macro moves_key(key_columns, values_before, row_image) -%}
    exists(
                        {{ key_columns }},
                        key_column -> map_contains_key({{ values_before }}, key_column)
                        and not {{ values_before }}[key_column] <=> {{ row_image }}[key_column]
                    )
{%- endmacro %}


{#- The image without some columns. -#}
{% macro without_columns(image, column_names) -%}
    if(
        cardinality({{ column_names }}) = 0,
        {{ image }},
        map_filter({{ image }}, (column_name, wire_text) -> not array_contains({{ column_names }}, column_name))
    )
{%- endmacro %}


{#- Text to whole milliseconds since 1970 to an instant; NULL where the text is no whole number, or one
    that no instant has. -#}
{% macro epoch_millis(text) -%}
    timestamp_micros(try_multiply(try_cast({{ text }} as bigint), 1000))
{%- endmacro %}


{#- The same for whole seconds. -#}
{% macro epoch_seconds(text) -%}
    timestamp_micros(try_multiply(try_cast({{ text }} as bigint), 1000000))
{%- endmacro %}


{#- A row as it was: its image, with the earlier values that a change carries, NULLs among them. Neither may name a
    column twice. -#}
{% macro overlaid(row_image, changed_values) -%}
    map_zip_with(
        {{ row_image }},
        transform_values({{ changed_values }}, (column_name, wire_text) -> struct(wire_text)),
        (column_name, wire_text, changed) -> if(changed is null, wire_text, changed.wire_text)
    )
{%- endmacro %}


{#- Row images of MySQL and MariaDB (binlog_row_image). With MINIMAL an update has the columns that its statement set,
    and of the row before the key alone; with NOBLOB it lacks the TEXT and BLOB columns that did not change. No field
    shows it. https://dev.mysql.com/doc/refman/8.4/en/replication-options-binary-log.html#sysvar_binlog_row_image -#}

{#- May an update lack columns? Where nothing is known of the row before, or no column but those of its key: of a whole
    row other columns would be known, unless the key alone changed. The feed's after_images decides. A table without
    a key always has whole rows. Needs the columns `key_names` and `feed_settings`. -#}
{% macro may_lack_columns(values_before) -%}
    (
                coalesce(cardinality({{ values_before }}), 0) < 1
                or feed_settings['after_images'] <=> 'as_sent' and key_names is not null
                or not feed_settings['after_images'] <=> 'complete'
                and coalesce(not {{ cdc.has_more_than_key(values_before) }}, false)
            )
{%- endmacro %}


{#- Does the image have another column than those of `key_names`? Without a key it has. -#}
{% macro has_more_than_key(image) -%}
    (key_names is null or size(array_except(map_keys({{ image }}), key_names)) > 0)
{%- endmacro %}


{#- Does an image lack a column of `key_names`? NULL without an image or a key. -#}
{% macro lacks_key_column(image) -%}
    array_size(array_except(key_names, map_keys({{ image }}))) > 0
{%- endmacro %}


{#- Of the row before an update that may lack columns: its key and those of its values that the message carries; NULL without any of these. -#}
{% macro known_before(key_columns, row_image, values_before) -%}
    {{ cdc.overlaid(
        'map_filter(' ~ row_image ~ ', (column_name, wire_text) -> array_contains(' ~ key_columns ~ ', column_name))',
        values_before
    ) }}
{%- endmacro %}


{#- Why such an update is not understood where its key is not known. -#}
{% macro update_of_no_row() -%}
    'the update does not say which row it changes: it tells neither the row before it nor a key. '
    || 'Name the key in key_columns of the feed; where it is named, or the server writes parts of rows, set binlog_row_image to FULL'
{%- endmacro %}
