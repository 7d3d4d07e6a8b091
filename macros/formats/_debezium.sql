{#- Expressions of the Debezium family. -#}

{#- The fields of an envelope whose message stands under `payload`, or at the root; `fields` names the message's. -#}
{% macro envelope_fields(fields) -%}
    {%- set body = [] -%}
    {%- for name, type in fields.items() -%}
        {%- do body.append('`' ~ name ~ '` ' ~ type) -%}
    {%- endfor -%}
    {{ body | join(',\n                ') }},
                `schema` string,
                payload struct<{{ body | join(',\n                ') }}>
{%- endmacro %}


{#- The message of such an envelope, wherever it stands. -#}
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


{#- Columns that hold Debezium's placeholder for a value it did not have. The connector writes it in the column's
    type: as text, as base64 of that text (bytea), as the only element of an array or map (text[], bytea[], hstore), as
    its bytes (int[]), as its version 3 UUID (uuid[]). Rule: docs/formats/debezium_json.md, UnchangedToastedPlaceholder. -#}
{% macro unavailable_columns(image) -%}
    coalesce(
        map_keys(
            map_filter(
                {{ image }},
                (column_name, wire_text) -> wire_text in (
                    '__debezium_unavailable_value',
                    'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ==',
                    '["__debezium_unavailable_value"]',
                    '["X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=="]',
                    '{"__debezium_unavailable_value":"__debezium_unavailable_value"}',
                    '[95,95,100,101,98,101,122,105,117,109,95,117,110,97,118,97,105,108,97,98,108,101,95,118,97,108,117,101]',
                    '["b68a35a7-17ad-35b3-af2a-ae46edb4545a"]'
                )
            )
        ),
        array()
    )
{%- endmacro %}


{#- A Kafka key, or a header that holds one, with its fractions marked: NULL for anything that is no JSON object.
    `key_image` takes the columns out of it, and out of a schema block if there is one. -#}
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
                then {{ decoded }}.wrapped.payload
            else {{ decoded }}.flat
        end,
        (column_name, wire_text) -> {{ unmarked('wire_text') }}
    )
{%- endmacro %}


{#- A document that stands as JSON text inside a message (MongoDB). -#}
{% macro document(text) -%}
    transform_values(
        from_json({{ mark_fractions(text) }}, 'map<string, string>'),
        (field, wire_text) -> case
            when startswith(wire_text, '\uFDD0\uFDD1') then substring(wire_text, 3)
            else {{ without_marks('wire_text') }}
        end
    )
{%- endmacro %}


{#- True where `before` is there, but neither null nor an object. It is the first field of a message. -#}
{% macro has_wrong_before(text) -%}
    (
        {{ text }} rlike r'^\s*[{]\s*"before"\s*:\s*["0-9\[tf-]'
        or contains({{ text }}, '"payload":{"before":[')
        or contains({{ text }}, '"payload":{"before":"')
    )
{%- endmacro %}


{#- A place in MySQL's log: number of the file, position, row in the event; empty where there is none. -#}
{% macro log_position(source) -%}
    case
        when try_cast({{ source }}.pos as decimal(38, 0)) >= 0
            and try_cast(substring_index({{ source }}.file, '.', -1) as decimal(38, 0)) >= 0
            then array(
                try_cast(substring_index({{ source }}.file, '.', -1) as decimal(38, 0)),
                try_cast({{ source }}.pos as decimal(38, 0)),
                coalesce(try_cast({{ source }}.row as decimal(38, 0)), 0)
            )
        else cast(array() as array<decimal(38, 0)>)
    end
{%- endmacro %}


{#- The source position as numbers, most significant first; empty where the connector gives none, or one that is no
    position. A log file counts by its numeric suffix. PostgreSQL: commit LSN before event LSN. SQL Server: both LSNs of
    three hexadecimal parts, and the serial number. Rule: docs/formats/debezium_json.md -#}
{% macro debezium_position(connector, source) -%}
    cast(
        case
            when {{ connector }} in ('mysql', 'mariadb') then {{ log_position(source) }}
            when {{ connector }} = 'postgresql' and {{ source }}.sequence is not null
                then transform(
                    split(translate({{ source }}.sequence, '[]" ', ''), ','),
                    lsn -> coalesce(try_cast(lsn as decimal(38, 0)), -1)
                )
            when {{ connector }} = 'oracle' and coalesce({{ source }}.commit_scn, {{ source }}.scn) is not null
                then array(
                    coalesce(
                        try_cast({{ source }}.commit_scn as decimal(38, 0)),
                        try_cast({{ source }}.scn as decimal(38, 0)),
                        -1
                    ),
                    coalesce(try_cast({{ source }}.txSeq as decimal(38, 0)), -1),
                    coalesce(try_cast({{ source }}.scn as decimal(38, 0)), -1),
                    coalesce(try_cast({{ source }}.ssn as decimal(38, 0)), -1)
                )
            when {{ connector }} = 'sqlserver' and {{ source }}.commit_lsn is not null
                then concat(
                    transform(
                        concat(
                            split({{ source }}.commit_lsn, ':'),
                            split(coalesce({{ source }}.change_lsn, '0:0:0'), ':')
                        ),
                        part -> coalesce(try_cast(conv(part, 16, 10) as decimal(38, 0)), -1)
                    ),
                    array(coalesce(try_cast({{ source }}.event_serial_no as decimal(38, 0)), -1))
                )
            when {{ connector }} = 'mongodb' and try_cast({{ source }}.ts_ms as decimal(38, 0)) is not null
                then array(
                    try_cast({{ source }}.ts_ms as decimal(38, 0)),
                    coalesce(try_cast({{ source }}.ord as decimal(38, 0)), -1)
                )
            else array()
        end as array<decimal(38, 0)>
    )
{%- endmacro %}


{#- Where a log position counts: the server and the base name of its files. A snapshot row has server 0: it does not
    say, and is no other space than the stream that follows. -#}
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


{#- What a schema change does: told by its text, else by the type of its first table change. -#}
{% macro schema_change_kind(ddl, change_type) -%}
    coalesce(
        nullif({{ ddl_kind(ddl) }}, 'other'),
        case when {{ ddl }} is null or {{ change_type }} = 'ALTER' then lower(nullif({{ change_type }}, '')) end,
        'other'
    )
{%- endmacro %}


{#- The words by which a connector marks the rows of a full load; those of an incremental snapshot are none. -#}
{% macro is_full_load_word(word) -%}
    {{ word }} in ('true', 'first', 'first_in_data_collection', 'last_in_data_collection', 'last')
{%- endmacro %}
