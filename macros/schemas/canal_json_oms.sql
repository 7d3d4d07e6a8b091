{#- What OMS says of a table's columns: `mysqlType`, column name to the bare name of a type, `int64` beside `bigint`.
    Surprise: bytes and bits are base64, and a TIMESTAMP is text of seconds since 1970. -#}

{% macro canal_json_oms_columns(schemas) -%}
    {{ _canal_bare_columns(schemas, "case
                when word in ('binary', 'varbinary', 'blob', 'tinyblob', 'mediumblob', 'longblob', 'bit', 'raw')
                    then 'base64_binary'
                when word = 'timestamp' then 'epoch_seconds'
                else 'text'
            end") }}
{%- endmacro %}
