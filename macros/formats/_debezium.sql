{#- What the formats of the Debezium family share: expressions, and the chain that reads the connectors' own messages. -#}

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


{#- Columns that hold Debezium's placeholder for a value it did not have: its own, or the one that the feed declares in
    `unavailable_value`. Rule: docs/formats/debezium_json.md, UnchangedToastedPlaceholder. -#}
{% macro unavailable_columns(image) -%}
    if(
        feed_settings['unavailable_value'] is null,
        {{ cdc._columns_with(image, 'wire_text in (' ~ cdc._forms_of_default_placeholder() ~ ')') }},
        transform(
            array({{ cdc._forms_of_placeholder("feed_settings['unavailable_value']") }}),
            forms -> {{ cdc._columns_with(
                image, 'wire_text in (' ~ cdc._forms_of_default_placeholder() ~ ') or array_contains(forms, wire_text)'
            ) }}
        )[0]
    )
{%- endmacro %}


{% macro _columns_with(image, condition) -%}
    coalesce(map_keys(map_filter({{ image }}, (column_name, wire_text) -> {{ condition }})), array())
{%- endmacro %}


{#- The connector writes it in the column's type: as text; as base64 in both alphabets or hexadecimal digits of that text
    (bytes, by binary.handling.mode); as the only element of a list or map of these (text[], bytea[], hstore); as a list
    of its bytes (int[], vectors); as its version 3 UUID (uuid[]). -#}
{% macro _forms_of_default_placeholder() -%}
    '__debezium_unavailable_value',
                    'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ==',
                    '5f5f646562657a69756d5f756e617661696c61626c655f76616c7565',
                    '5F5F646562657A69756D5F756E617661696C61626C655F76616C7565',
                    '["__debezium_unavailable_value"]',
                    '["X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=="]',
                    '["5f5f646562657a69756d5f756e617661696c61626c655f76616c7565"]',
                    '["5F5F646562657A69756D5F756E617661696C61626C655F76616C7565"]',
                    '{"__debezium_unavailable_value":"__debezium_unavailable_value"}',
                    '[95,95,100,101,98,101,122,105,117,109,95,117,110,97,118,97,105,108,97,98,108,101,95,118,97,108,117,101]',
                    '[95.0,95.0,100.0,101.0,98.0,101.0,122.0,105.0,117.0,109.0,95.0,117.0,110.0,97.0,118.0,97.0,105.0,108.0,97.0,98.0,108.0,101.0,95.0,118.0,97.0,108.0,117.0,101.0]',
                    'b68a35a7-17ad-35b3-af2a-ae46edb4545a',
                    '["b68a35a7-17ad-35b3-af2a-ae46edb4545a"]'
{%- endmacro %}


{#- The same forms of any placeholder; `hex:` at its start means that it is in hexadecimal digits, as in the connector's
    own setting. -#}
{% macro _forms_of_placeholder(marker) -%}
    transform(
                array(if(
                    startswith({{ marker }}, 'hex:'), try_to_binary(substring({{ marker }}, 5), 'hex'), encode({{ marker }}, 'UTF-8')
                )),
                bytes -> transform(
                    array(array(
                        make_valid_utf8(cast(bytes as string)),
                        replace(replace(base64(bytes), '\r', ''), '\n', ''),
                        translate(replace(replace(base64(bytes), '\r', ''), '\n', ''), '+/', '-_'),
                        lower(hex(bytes)),
                        hex(bytes),
                        regexp_replace(
                            concat(
                                left(md5(bytes), 12),
                                '3',
                                substring(md5(bytes), 14, 3),
                                lower(hex(cast(conv(substring(md5(bytes), 17, 1), 16, 10) as int) & 3 | 8)),
                                substring(md5(bytes), 18)
                            ),
                            '^(.{8})(.{4})(.{4})(.{4})',
                            '$1-$2-$3-$4-'
                        )
                    )),
                    texts -> concat(
                        texts,
                        transform(texts, text -> to_json(array(text))),
                        array(
                            to_json(map(texts[0], texts[0])),
                            concat('[', array_join(transform(
                                regexp_extract_all(hex(bytes), '..', 0), digits -> conv(digits, 16, 10)
                            ), ','), ']'),
                            concat('[', array_join(transform(
                                regexp_extract_all(hex(bytes), '..', 0), digits -> concat(conv(digits, 16, 10), '.0')
                            ), ','), ']')
                        )
                    )
                )[0]
            )[0]
{%- endmacro %}


{#- The connectors whose messages are known to be read right, by records or documents. Others write other things in
    the same envelope: Cassandra's columns are cells, and their null means "not changed". -#}
{% macro known_connectors() -%}
    'mysql', 'mariadb', 'postgresql', 'oracle', 'sqlserver', 'mongodb', 'db2'
{%- endmacro %}


{#- Why a message of another connector is not read. -#}
{% macro unknown_connector_reason(connector) -%}
    concat(
        'the connector is ', {{ connector }}, ', and how its rows are to be read is not known: known are ',
        concat_ws(', ', {{ cdc.known_connectors() }})
    )
{%- endmacro %}


{#- Why a message is not read whose connector has a known name, but a version of another project: YugabyteDB's postgresql, of version
    dz.2.5.2.yb.2024.1, has null for every column that did not change.
    https://docs.yugabyte.com/stable/additional-features/change-data-capture/using-logical-replication/transformers/ -#}
{% macro fork_of_connector_reason(connector, version) -%}
    concat(
        'the version of the connector ', {{ connector }}, ' is ', {{ version }}, ', which is none of Debezium: how rows of another',
        ' project with this name are to be read is not known'
    )
{%- endmacro %}


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


{#- A Kafka key, or a header that holds one, with its fractions marked: NULL for anything that is no JSON object.
    `key_image` takes the columns out of it, and out of a schema block if there is one: NULL where there is no column,
    or one occurs twice. -#}
{% macro decode_key(text) -%}
    from_json(
        concat('{"flat":', {{ text }}, ',"wrapped":', {{ text }}, '}'),
        'flat map<string, string>, wrapped struct<payload map<string, string>>'
    )
{%- endmacro %}


{% macro key_image(decoded) -%}
    transform_values(
        case
            when map_contains_key({{ decoded }}.flat, 'schema') and map_contains_key({{ decoded }}.flat, 'payload')
                and ({{ decoded }}.wrapped.payload is not null or {{ decoded }}.flat['payload'] is null)
                then case when {{ cdc.can_be_key(decoded ~ '.wrapped.payload') }} then {{ decoded }}.wrapped.payload end
            when {{ cdc.can_be_key(decoded ~ '.flat') }} then {{ decoded }}.flat
        end,
        (column_name, wire_text) -> if(
            startswith(wire_text, '{'), {{ cdc.extended_json_value('wire_text') }}, {{ cdc.unmarked('wire_text') }}
        )
    )
{%- endmacro %}


{#- MongoDB's message key is the JSON of `_id` as a text, with blanks as a release of its driver writes them. A wrapped number becomes
    the number, as in a document, and any other wrapped value has no blanks; a text that is none of them stays as it is. -#}
{% macro extended_json_value(text) -%}
    regexp_replace(
                regexp_replace(
                    {{ text }}, r'^[{]\s*"[$]number(?:Int|Long|Double|Decimal)"\s*:\s*"([^"]*)"\s*[}]\z', '$1'
                ),
                r'^[{]\s*("[$]\w+")\s*:\s*("[^"]*")\s*[}]\z', '{$1:$2}'
            )
{%- endmacro %}


{#- The image of a row with the columns of its Kafka key that a filter of columns has taken out of the message: a connector leaves
    the key whole. MongoDB's key has another name than its field. An image with a repeated column, which is an error, would stop the
    statement here. Rule: docs/formats/debezium_json.md, Keys. -#}
{% macro with_key_columns(image, sent, is_kept_as_sent="connector <=> 'mongodb'") -%}
    if(
                cardinality(array_except(map_keys(key_image), map_keys({{ sent }}))) > 0 and not ({{ is_kept_as_sent }})
                and not {{ cdc.has_repeated_column(sent) }},
                map_concat(
                    map_filter(key_image, (column_name, wire_text) -> not map_contains_key({{ sent }}, column_name)),
                    {{ image }}
                ),
                {{ image }}
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


{#- A position in MySQL's log: number of the file, `pos`; empty where there is none. A row event holds a key once, but the
    events of a transaction may share a position, and each counts its rows from 0: the row proves no order. -#}
{% macro log_position(source) -%}
    case
        when try_cast({{ source }}.pos as decimal(38, 0)) >= 0
            and try_cast(substring_index({{ source }}.file, '.', -1) as decimal(38, 0)) >= 0
            then array(
                try_cast(substring_index({{ source }}.file, '.', -1) as decimal(38, 0)),
                try_cast({{ source }}.pos as decimal(38, 0))
            )
        else cast(array() as array<decimal(38, 0)>)
    end
{%- endmacro %}


{#- The numbers of the source's position that prove an order, most significant first; empty where the connector gives none,
    or one that is no position. A log file counts by its numeric suffix. PostgreSQL: commit LSN before event LSN; a connector
    that has just started knows no commit yet, and the event LSN counts for both. Oracle: the commit's SCN and the number in
    the transaction (txSeq), else the SCN. A statement of Oracle, which has no `op`, names the commit before it: no row's own SCN is
    higher than its commit's, so the higher one counts, and after the rows of a commit at this SCN. SQL Server: the commit's LSN of three
    hexadecimal parts. MongoDB: cluster time, which source.ts_ms no longer is from 3.4 on.
    Rule: docs/gold/order.md -#}
{% macro debezium_position(connector, source, op) -%}
    cast(
        case
            when {{ connector }} in ('mysql', 'mariadb') then {{ cdc.log_position(source) }}
            when {{ connector }} = 'postgresql' and {{ source }}.sequence is not null
                then transform(
                    split(translate({{ source }}.sequence, '[]" ', ''), ','),
                    lsn -> coalesce(
                        try_cast(lsn as decimal(38, 0)),
                        try_cast(substring_index(translate({{ source }}.sequence, '[]" ', ''), ',', -1) as decimal(38, 0)),
                        -1
                    )
                )
            when {{ connector }} = 'oracle' and coalesce({{ source }}.commit_scn, {{ source }}.scn) is not null
                then array(
                    coalesce(
                        greatest(
                            try_cast({{ source }}.commit_scn as decimal(38, 0)),
                            try_cast({{ source }}.scn as decimal(38, 0))
                        ),
                        -1
                    ),
                    coalesce(try_cast(if({{ op }} is null, {{ source }}.scn, {{ source }}.txSeq) as decimal(38, 0)), -1),
                    coalesce(try_cast({{ source }}.scn as decimal(38, 0)), -1)
                )
            when {{ connector }} = 'sqlserver' and {{ source }}.commit_lsn is not null
                then {{ cdc.lsn_parts(source ~ '.commit_lsn') }}
            when {{ connector }} = 'mongodb'
                and {{ source }}.version rlike r'^([0-2]|3[.][0-3])[.]'
                and try_cast({{ source }}.ts_ms as decimal(38, 0)) is not null
                then array(
                    try_cast({{ source }}.ts_ms as decimal(38, 0)),
                    coalesce(try_cast({{ source }}.ord as decimal(38, 0)), -1)
                )
            else array()
        end as array<decimal(38, 0)>
    )
{%- endmacro %}


{#- The numbers of one of SQL Server's LSNs. -#}
{% macro lsn_parts(lsn) -%}
    transform(
        split({{ lsn }}, ':'),
        part -> coalesce(try_cast(conv(part, 16, 10) as decimal(38, 0)), -1)
    )
{%- endmacro %}


{#- The change's number in its transaction, after a position that several changes of it share. Before 3.7 the count restarts
    where a connector starts again inside a transaction, and proves nothing. -#}
{% macro place_in_transaction(connector, source, transaction) -%}
    case
        when {{ connector }} in ('mysql', 'mariadb', 'sqlserver')
            and {{ source }}.version rlike r'^(3[.]([7-9]|[1-9][0-9])|[4-9]|[1-9][0-9])[.]'
            and try_cast({{ transaction }}.total_order as decimal(38, 0)) is not null
            then array(try_cast({{ transaction }}.total_order as decimal(38, 0)))
        else cast(array() as array<decimal(38, 0)>)
    end
{%- endmacro %}


{#- A position; for a row without a key, which may have equal ones, followed by numbers that prove no order but distinguish
    changes of one position. `proven_position` takes them off again. -#}
{% macro distinct_position(position, numbers) -%}
    if(
        size({{ position }}) > 0
        and key_names is null
        and whole_operation in ('insert', 'update', 'delete', 'snapshot'),
        concat({{ position }}, {{ numbers }}),
        {{ position }}
    )
{%- endmacro %}


{#- The number of a row in its event. -#}
{% macro row_in_event(source) -%}
    array(coalesce(try_cast({{ source }}.row as decimal(38, 0)), cast(0 as decimal(38, 0))))
{%- endmacro %}


{% macro numbers_apart(connector, source) -%}
    cast(
        case
            when {{ connector }} in ('mysql', 'mariadb') then {{ cdc.row_in_event(source) }}
            when {{ connector }} = 'oracle' then array(coalesce(try_cast({{ source }}.ssn as decimal(38, 0)), -1))
            when {{ connector }} = 'sqlserver'
                then array_append(
                    {{ cdc.lsn_parts("coalesce(" ~ source ~ ".change_lsn, '0:0:0')") }},
                    coalesce(try_cast({{ source }}.event_serial_no as decimal(38, 0)), -1)
                )
            else array()
        end as array<decimal(38, 0)>
    )
{%- endmacro %}


{#- Where a log position counts: the server and the base name of its files. A snapshot row has server 0, which
    is none: it belongs to the space of the stream that follows. -#}
{% macro debezium_position_space(source) -%}
    case
        when {{ source }}.file is not null and coalesce({{ source }}.server_id, '') <> '0'
            then concat_ws(
                '/',
                {{ source }}.server_id,
                left({{ source }}.file, length({{ source }}.file) - length(substring_index({{ source }}.file, '.', -1)) - 1)
            )
    end
{%- endmacro %}


{#- What a schema change does: by its text, without one by its table changes, of which `change_type` is the type. NULL where
    neither shows it: such a message is not understood. -#}
{% macro schema_change_kind(statement, change_type) -%}
    coalesce(
        nullif({{ statement }}.kind, 'other'),
        case
            when {{ change_type }} = 'ALTER' or {{ statement }} is null and {{ change_type }} in ('CREATE', 'DROP')
                then lower({{ change_type }})
            when {{ statement }} is not null then 'other'
        end
    )
{%- endmacro %}


{#- The type of a list of table changes: DROP where one of them is, else that of the first; NULL where one is of no known
    type. -#}
{% macro type_of_changes(table_changes) -%}
    case
        when forall({{ table_changes }}, change -> coalesce(change.type in ('CREATE', 'ALTER', 'DROP'), false))
            then if(exists({{ table_changes }}, change -> change.type = 'DROP'), 'DROP', get({{ table_changes }}, 0).type)
    end
{%- endmacro %}


{#- Why a schema change cannot be applied by its table changes, where it has no text: nothing shows what was done, or another
    table than the message's own was dropped, or several. `place` is an SQL list of the message's names, the table last. -#}
{% macro table_changes_error(kind, statement, table_changes, place) -%}
    case
        when {{ kind }} is null then {{ cdc.no_schema_change_reason() }}
        when {{ statement }} is null and {{ kind }} = 'drop'
            and not (
                cardinality({{ table_changes }}) = 1
                and {{ cdc.is_name_of_place('get(' ~ table_changes ~ ', 0).id', place) }}
            )
            then concat(
                'tableChanges name another table than the message, or several: ',
                coalesce(nullif(concat_ws(', ', transform({{ table_changes }}, change -> change.id)), ''), 'none')
            )
    end
{%- endmacro %}


{#- Why a schema change without a text is not understood whose table changes are of no known kind. -#}
{% macro no_schema_change_reason() -%}
    'there is no statement, and tableChanges do not say what was done'
{%- endmacro %}


{#- The words by which a connector marks the rows of a full load; those of an incremental snapshot are not among them. -#}
{% macro is_full_load_word(word) -%}
    {{ word }} in ('true', 'first', 'first_in_data_collection', 'last_in_data_collection', 'last')
{%- endmacro %}


{#- From `texts` to `imaged`: what the message and its Kafka key say, and the images. `texts` is bronze with

    text, key_text      the message and its Kafka key as JSON text
    value_schema        the types of the message where its text has none
    is_key_encoded      is there a Kafka key that may not be text?
    odd_key_error       why the Kafka key is none, where no row is read from it
    undecodable_error   why there is no message, where it is not the text that says so
    foreign_text        a text that may be another format's -#}
{% macro _debezium_messages(texts) -%}
    {%- set fields = {
        'op': 'string',
        'before': 'map<string, string>',
        'after': 'map<string, string>',
        'before_text': 'string',
        'after_text': 'string',
        'updateDescription': 'struct<updatedFields string, removedFields array<string>, truncatedArrays array<string>>',
        'source': 'struct<connector string, version string, db string, `schema` string, `table` string, collection string,'
            ~ ' ts_ms string, ts_us string, snapshot string, sequence string, txId string,'
            ~ ' server_id string, gtid string, file string, pos string, `row` string,'
            ~ ' scn string, commit_scn string, txSeq string, ssn string,'
            ~ ' change_lsn string, commit_lsn string, event_serial_no string, ord string>',
        'transaction': 'struct<id string, total_order string>',
        'ts_ms': 'string',
        'ddl': 'string',
        'databaseName': 'string',
        'schemaName': 'string',
        'tableChanges': 'array<struct<type string, id string>>',
        'status': 'string',
        'id': 'string'
    } -%}
    marked as (

        select
            *,
            -- MongoDB's documents are JSON text inside the message: distinguished by name before the decode
            {{ cdc.mark_fractions(
                "if(contains(text, '\"mongodb\"') and text rlike r'\"connector\"\\s*:\\s*\"mongodb\"',"
                ~ " regexp_replace(text, r'\"(before|after)\"\\s*:\\s*\"(?=(?:\\s|\\\\[nrt])*[{])', '\"$1_text\":\"'), text)"
            ) }} as exact_text,
            {{ cdc.mark_fractions('key_text') }} as exact_key
        from {{ texts }}

    ),

    parsed as (

        select
            *,
            {{ cdc.decode_object('exact_text', cdc.envelope_fields(fields)) }} as marked_object,
            {{ cdc.decode_key('exact_key') }} as key_message
        from marked

    ),

    enveloped as (

        select
            *,
            {{ cdc.decoded_object('marked_object') }} as envelope,
            {{ cdc.key_image('key_message') }} as key_image
        from parsed

    ),

    decoded as (

        select
            *,
            coalesce(value_schema, {{ cdc.without_marks('envelope.schema') }}) as schema_block,
            {{ cdc.message_of_envelope('envelope', fields) }} as message,
            value is null or coalesce({{ cdc.is_null_text('text') }}, false) as is_tombstone
        from enveloped

    ),

    imaged as (

        select
            *,
            {{ cdc.unmarked('message.op') }} as op,
            lower(message.source.connector) as connector,
            nullif(coalesce(message.source.table, message.source.collection), '') as changed_table,
            nullif(message.source.schema, '') as changed_schema,
            nullif(coalesce(nullif(message.source.db, ''), message.databaseName), '') as changed_database,
            {{ cdc.exact_numbers('message.before', 'exact_text') }} as row_before,
            {{ cdc.exact_numbers('message.after', 'exact_text') }} as row_after,
            {{ cdc.document('message.before_text') }} as document_before,
            {{ cdc.document('coalesce(message.after_text, message.updateDescription.updatedFields)') }} as document_after,
            array_distinct(message.updateDescription.removedFields) as removed_fields,
            message.after is null and message.after_text is null
            and coalesce(message.updateDescription.updatedFields, get(message.updateDescription.removedFields, 0)) is not null
                as is_patch
        from decoded

    )
{%- endmacro %}


{#- From such a relation to `parsed_rows`, for to_change_contract. `format` is the declared one, for errors. -#}
{% macro _debezium_parsed_rows(imaged, format) -%}
    patched as (

        select
            *,
            {{ cdc.read_statement('message.ddl') }} as statement,
            -- an image without any column is none
            if(cardinality(row_before) > 0, row_before, document_before) as sent_before,
            case
                -- a field that the patch removes is null in the row
                when is_patch and not coalesce({{ cdc.has_repeated_column('document_after') }}, false)
                    then map_from_entries(
                        concat(
                            filter(
                                coalesce(map_entries(document_after), array()),
                                entry -> not coalesce(array_contains(removed_fields, entry.key), false)
                            ),
                            transform(
                                coalesce(array_compact(removed_fields), array()),
                                field -> named_struct('key', field, 'value', cast(null as string))
                            )
                        )
                    )
                else if(cardinality(row_after) > 0, row_after, document_after)
            end as sent_after
        from {{ imaged }}

    ),

    classified as (

        select
            *,
            {{ cdc.schema_change_kind('statement', cdc.type_of_changes('message.tableChanges')) }} as kind_of_ddl,
            {{ cdc.unavailable_columns('sent_before') }} as missing_before,
            {{ cdc.unavailable_columns('sent_after') }} as missing_after,
            case
                when is_tombstone then 'tombstone'
                -- ReadToInsertEvent writes the rows of a full load so
                when op = 'c' and {{ cdc.is_full_load_word('message.source.snapshot') }} then 'snapshot'
                when op = 'c' then 'insert'
                when op = 'u' then 'update'
                when op = 'd' then 'delete'
                when op = 'r' then 'snapshot'
                when op = 't' then 'truncate'
                when op = 'm' then 'ignored'
                when op is not null then null
                when message.tableChanges is not null or message.ddl is not null and message.databaseName is not null
                    then if(statement.kind = 'truncate', 'truncate', 'schema_change')
                when message.status in ('BEGIN', 'END') and message.id is not null and contains(text, '"event_count"')
                    then if(message.status = 'BEGIN', 'transaction_begin', 'transaction_end')
                -- a row without an envelope may have a column ts_ms: a heartbeat has nothing else
                when message.ts_ms is not null
                    and text rlike r'(^|"payload"\s*:)\s*[{]\s*"ts_ms"\s*:\s*[0-9]+\s*[}]'
                    then 'heartbeat'
            end as message_operation,
            feed_key_columns[concat_ws('.', message.source.db, changed_schema, changed_table)] as feed_keys
        from patched

    ),

    keyed as (

        select
            *,
            {{ cdc.bare_number_reason(
                ['changed_database', 'changed_schema', 'changed_table'],
                ['sent_before', 'sent_after', 'key_image'],
                "concat_ws(' ', text, key_text)"
            ) }} as bare_number_error,
            {{ cdc.without_columns('sent_before', 'missing_before') }} as old_image,
            {{ cdc.with_key_columns(cdc.without_columns('sent_after', 'missing_after'), 'sent_after') }} as new_image,
            message_operation in ('insert', 'update', 'delete', 'snapshot') as is_row_change,
            case
                when message_operation not in ('insert', 'update', 'delete', 'snapshot', 'tombstone') then null
                when feed_keys is not null then feed_keys
                when connector = 'mongodb' then array('_id')
                else map_keys(key_image)
            end as key_names,
            coalesce(cardinality(sent_before), 0) > 0 and cardinality(missing_before) = 0
            and coalesce(
                connector in ('mysql', 'mariadb', 'sqlserver', 'oracle', 'db2') or feed_settings['before_images'] = 'complete',
                false
            )
            and not ({{ cdc._lacks_large_values('connector', 'message_operation', 'sent_before', 'sent_after') }}) as is_old_complete
        from classified

    ),

    named as (

        select
            *,
            case
                when feed_keys is not null
                    then {{ cdc.key_values_of_either('key_names', 'key_image', 'coalesce(new_image, old_image)') }}
                when not connector <=> 'mongodb' or cardinality(key_image) = 1 then map_values(key_image)
                -- other fields than the document's id come from transforms of the connector
                when map_contains_key(key_image, 'id') then array(key_image['id'])
            end as key_of_row,
            case
                when message_operation = 'update' and not connector <=> 'mongodb'
                    then {{ cdc.key_values('key_names', 'old_image') }}
            end as key_in_old_image,
            case when message_operation = 'update' and old_image is not null then {{ cdc.key_values('key_names', 'new_image') }} end
                as key_in_new_image,
            case
                when message_operation = 'insert' and exists(headers, header -> header.key = '__debezium.oldkey')
                    then {{ cdc.decode_key(cdc.mark_fractions(
                        "cast(get(filter(headers, header -> header.key = '__debezium.oldkey'), 0).value as string)"
                    )) }}
            end as old_key_message,
            case
                when message_operation = 'delete' and connector = 'postgresql' and not is_old_complete
                    then {{ cdc.defaults_of_columns('schema_block') }}
            end as defaults
        from keyed

    ),

    judged as (

        select
            *,
            {{ cdc.key_image('old_key_message') }} as old_key_image,
            case
                when load_error is not null then load_error
                -- where the feed names keys, the rows before it may need none of Kafka's
                when is_tombstone
                    and cardinality(feed_key_columns) = 0
                    and key_image is null
                    and key_message.flat is null and (is_key_encoded or trim(key_text) not in ('', 'null'))
                    then odd_key_error
                when is_tombstone then null
                when envelope is null then coalesce(undecodable_error, {{ cdc.undecodable_reason('value', 'text') }})
                when op is null and message_operation is null then 'op is missing'
                when message_operation is null then concat('op is not known: ', op)
                when message.ts_ms is not null and try_cast(message.ts_ms as bigint) is null
                    then concat('ts_ms is not a whole number: ', {{ cdc.unmarked('message.ts_ms') }})
                when message.source.ts_ms is not null and try_cast(message.source.ts_ms as bigint) is null
                    then concat('source.ts_ms is not a whole number: ', {{ cdc.unmarked('message.source.ts_ms') }})
                when op is null and message_operation in ('schema_change', 'truncate')
                    then coalesce(
                        {{ cdc.table_changes_error(
                            'kind_of_ddl',
                            'statement',
                            'message.tableChanges',
                            'changed_database, changed_schema, changed_table'
                        ) }},
                        {{ cdc.statement_error(
                            'kind_of_ddl', 'statement', 'message.ddl', 'changed_database, changed_schema, changed_table'
                        ) }}
                    )
                when op = 'm' or op is null then null
                when message.source is null then 'source is missing or not an object'
                when connector not in ({{ cdc.known_connectors() }}) then {{ cdc.unknown_connector_reason('connector') }}
                when message.source.version rlike '^[^0-9]' then {{ cdc.fork_of_connector_reason('connector', 'message.source.version') }}
                when changed_table is null then 'source.table is missing'
                when op = 't' then null
                when {{ cdc.has_repeated_column('sent_before') }} or {{ cdc.has_repeated_column('sent_after') }}
                    then 'a column name occurs twice in a row image'
                when op <> 'd' and sent_after is null then concat('op ', op, ' without an after image')
                when bare_number_error is not null then bare_number_error
                when op = 'd' and sent_before is null and key_image is null
                    then 'op d without a before image and without a key'
                when op in ('u', 'd') and sent_before is null and {{ cdc.has_wrong_before('text') }}
                    then 'before is not an object'
                when is_patch
                    and (
                        cardinality(message.updateDescription.truncatedArrays) > 0
                        or exists(map_keys(sent_after), field -> contains(field, '.'))
                    )
                    then 'a patch inside a field cannot be applied: let the connector send whole documents'
                when exists(removed_fields, field -> field is null)
                    then 'updateDescription.removedFields names a field null'
                when feed_keys is null and key_image is null
                    and key_message.flat is null and (is_key_encoded or trim(key_text) not in ('', 'null'))
                    then odd_key_error
                when feed_keys is not null
                    and (key_of_row is null or not is_old_complete and op = 'd' and exists(key_of_row, part -> part is null))
                    then 'the message does not hold the key columns that the feed names'
                -- PostgreSQL sends the primary key alone: of other columns, which message.key.columns may name, it sends NULL
                when op = 'd' and not is_old_complete and exists(key_of_row, part -> part is null)
                    then concat(
                        'the Kafka key of this delete lacks the value of ',
                        concat_ws(', ', map_keys(map_filter(key_image, (column_name, wire_text) -> wire_text is null))),
                        ': give the table REPLICA IDENTITY FULL, or let the connector take the primary key as its key'
                    )
                -- of an index that is not the primary key it sends the index's columns, and the connector makes up the key
                when op = 'd'
                    and connector = 'postgresql'
                    and not is_old_complete
                    and {{ cdc.may_be_made_up('old_image', 'defaults') }}
                    then {{ cdc.made_up_key_reason('old_image', 'defaults') }}
            end as row_error
        from named

    ),

    operations as (

        select
            *,
            if(row_error is null, message_operation, 'unknown') as whole_operation,
            -- a null in an incomplete image means a value that was not sent
            case
                when
                    key_in_old_image <> key_in_new_image
                    and (is_old_complete or not exists(key_in_old_image, part -> part is null))
                    then key_in_old_image
            end as key_before,
            -- the header is written by another converter: {"id":20} for a key {"id":"FA=="} only says that there was one
            case
                when old_key_image is null then null
                when forall(
                    key_names,
                    key_column -> (old_key_image[key_column] rlike '^-?[0-9.]+$')
                    = (coalesce(key_image[key_column], new_image[key_column]) rlike '^-?[0-9.]+$')
                )
                    then {{ cdc.key_values('key_names', 'old_key_image') }}
                else transform(key_names, key_column -> cast(null as string))
            end as key_of_header,
            {{ cdc.is_full_load_word('message.source.snapshot') }} as is_in_full_load
        from judged

    ),

    placed as (

        select
            *,
            if(
                whole_operation = 'snapshot' and not message.source.snapshot <=> 'incremental'
                or whole_operation in ('schema_change', 'truncate') and op is null and coalesce(is_in_full_load, false),
                0,
                1
            ) as phase,
            case
                -- a full load begins with DROP and CREATE of every table: below all of its rows
                when op is null and is_in_full_load then cast(array() as array<decimal(38, 0)>)
                else {{ cdc.debezium_position('connector', 'message.source', 'op') }}
            end as proven_numbers
        from operations

    ),

    numbered as (

        select
            *,
            if(
                size(proven_numbers) > 0,
                concat(
                    proven_numbers,
                    {{ cdc.place_in_transaction('connector', 'message.source', 'message.transaction') }}
                ),
                proven_numbers
            ) as proven_position
        from placed

    ),

    parsed_rows as (

        select
            {{ cdc.record_columns() }},
            0 as image_index,
            whole_operation as operation,
            coalesce(op, message.status, get(message.tableChanges, 0).type) as source_operation,
            {{ cdc.unknown_error('row_error', 'foreign_text', format) }} as error,
            connector as source_type,
            cast(null as string) as catalog_name,
            changed_database as database_name,
            coalesce(changed_schema, message.schemaName) as schema_name,
            changed_table as table_name,
            key_names as key_columns,
            case
                when key_names is null then null
                when whole_operation = 'update' and key_before is not null then key_in_new_image
                else key_of_row
            end as row_key,
            coalesce(key_before, key_of_header) as key_before,
            old_image as before_image,
            case when op <> 'd' then new_image end as after_image,
            is_old_complete as is_before_complete,
            is_row_change and op <> 'd' and sent_after is not null
            and not is_patch and cardinality(missing_after) = 0 as is_after_complete,
            missing_before as before_unavailable,
            missing_after as after_unavailable,
            schema_block as schema_text,
            coalesce(
                timestamp_micros(try_cast(message.source.ts_us as bigint)),
                {{ cdc.epoch_millis('message.source.ts_ms') }}
            ) as changed_at,
            {{ cdc.epoch_millis('message.ts_ms') }} as captured_at,
            case
                -- PostgreSQL's BEGIN and END share only the part before the colon
                when coalesce(message.transaction.id, message.id) rlike '^[0-9]+:[0-9]+$'
                    then substring_index(coalesce(message.transaction.id, message.id), ':', 1)
                else coalesce(message.transaction.id, message.id, message.source.txId, message.source.gtid)
            end as transaction_id,
            phase,
            {{ cdc.distinct_position('proven_position', cdc.numbers_apart('connector', 'message.source')) }} as position,
            if(
                connector in ('mysql', 'mariadb', 'postgresql', 'oracle', 'sqlserver', 'mongodb'),
                'position',
                'offset'
            ) as order_scope,
            {{ cdc.debezium_position_space('message.source') }} as position_space,
            case when message_operation = 'snapshot' then coalesce(message.source.snapshot, op) end as snapshot_mark,
            message.ddl,
            if(whole_operation = 'truncate', 'truncate', kind_of_ddl) as ddl_kind
        from numbered

    )
{%- endmacro %}


{#- Does an update of SQL Server have NULL in place of large values of the row before? Its change tables have varchar(max), nvarchar(max)
    and varbinary(max) there where they changed, and text, ntext and image never: no message distinguishes these from NULL.
    https://learn.microsoft.com/sql/relational-databases/system-tables/cdc-capture-instance-ct-transact-sql -#}
{% macro _lacks_large_values(connector, operation, before_image, after_image) -%}
    coalesce(
                {{ connector }} = 'sqlserver'
                and {{ operation }} = 'update'
                and exists(
                    map_keys({{ before_image }}),
                    column_name -> {{ before_image }}[column_name] is null and {{ after_image }}[column_name] is not null
                ),
                false
            )
{%- endmacro %}
