{#- Expressions of the Debezium family. -#}

{#- Columns that hold Debezium's placeholder for a value it did not have: as text, as base64 of that text
    (bytea), or as the only element of an array or map. Rule: formats.md 0.1.5 and 5.11. -#}
{% macro unavailable_columns(image) -%}
    coalesce(
        map_keys(
            map_filter(
                {{ image }},
                (column_name, wire_text) -> wire_text in (
                    '__debezium_unavailable_value',
                    'X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ==',
                    '["__debezium_unavailable_value"]',
                    '{"__debezium_unavailable_value":"__debezium_unavailable_value"}'
                )
            )
        ),
        array()
    )
{%- endmacro %}


{#- The source position as numbers, most significant first; empty where the connector gives none.
    PostgreSQL: commit LSN before event LSN. SQL Server: both LSNs of three hexadecimal parts, and the
    serial number. A log file counts by its numeric suffix. Rule: formats.md 5.12. -#}
{% macro debezium_position(source) -%}
    cast(
        case
            when {{ source }}.connector in ('mysql', 'mariadb')
                and try_cast({{ source }}.pos as decimal(38, 0)) >= 0
                and {{ source }}.file rlike '[0-9]$'
                then array(
                    try_cast(regexp_extract({{ source }}.file, '([0-9]+)$', 1) as decimal(38, 0)),
                    try_cast({{ source }}.pos as decimal(38, 0)),
                    coalesce(try_cast({{ source }}.row as decimal(38, 0)), 0)
                )
            when {{ source }}.connector = 'postgresql' and {{ source }}.sequence is not null
                then transform(
                    split(regexp_replace({{ source }}.sequence, '[^0-9nul,]', ''), ','),
                    lsn -> coalesce(try_cast(lsn as decimal(38, 0)), -1)
                )
            when {{ source }}.connector = 'oracle' and coalesce({{ source }}.commit_scn, {{ source }}.scn) is not null
                then array(
                    coalesce(
                        try_cast({{ source }}.commit_scn as decimal(38, 0)),
                        try_cast({{ source }}.scn as decimal(38, 0))
                    ),
                    coalesce(try_cast({{ source }}.txSeq as decimal(38, 0)), -1),
                    coalesce(try_cast({{ source }}.scn as decimal(38, 0)), -1),
                    coalesce(try_cast({{ source }}.ssn as decimal(38, 0)), -1)
                )
            when {{ source }}.connector = 'sqlserver' and {{ source }}.commit_lsn is not null
                then concat(
                    transform(
                        concat(
                            split({{ source }}.commit_lsn, ':'),
                            split(coalesce({{ source }}.change_lsn, '0:0:0'), ':')
                        ),
                        part -> try_cast(conv(part, 16, 10) as decimal(38, 0))
                    ),
                    array(coalesce(try_cast({{ source }}.event_serial_no as decimal(38, 0)), -1))
                )
            when {{ source }}.connector = 'mongodb' and {{ source }}.ts_ms is not null
                then array(
                    try_cast({{ source }}.ts_ms as decimal(38, 0)),
                    coalesce(try_cast({{ source }}.ord as decimal(38, 0)), -1)
                )
            else array()
        end as array<decimal(38, 0)>
    )
{%- endmacro %}
