{#- What orders the changes of Debezium's connectors. -#}

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
