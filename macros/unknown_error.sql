{#- The reason a row is unknown, with the name of the format its text looks like where that is another
    one than the feed declares. Only rows with a reason pay for the look. Signs: formats.md, section 2. -#}
{% macro unknown_error(reason, text, declared_format) -%}
    case
        when {{ reason }} is not null and {{ looks_like(text) }} <> '{{ declared_format }}'
            then concat({{ reason }}, '; this looks like ', {{ looks_like(text) }})
        else {{ reason }}
    end
{%- endmacro %}


{% macro looks_like(text) -%}
    case
        when {{ text }} rlike '"dataColumn"|"sequenceId"' then 'streamx'
        when {{ text }} rlike '"recordType".*"allMetaData"' then 'oms_default'
        when {{ text }} rlike '"(beforeImages|afterImages)"' then 'dts_avro'
        when {{ text }} rlike '"record-type"' then 'aws_dms'
        when {{ text }} rlike '"read_method"' then 'google_datastream'
        when {{ text }} rlike '"op_type"' then 'ogg_json'
        when {{ text }} rlike '"meta" *: *[{].*"op" *: *"(ins|upd|del|ddl)"' then 'oms_shareplex'
        when {{ text }} rlike '"action".*"(entryType|dbValType|jdbcType)"' then 'cloudcanal_json'
        when {{ text }} rlike '"op" *: *"[a-z]"' and {{ text }} rlike '"(source|before|after)"'
            then 'debezium_json'
        when {{ text }} rlike '"type" *: *"(insert|update|delete|bootstrap-[a-z]+|table-[a-z]+)"'
            and {{ text }} rlike '"(xid|xoffset|commit|position)"' then 'maxwell'
        when {{ text }} rlike '"(isDdl|mysqlType|pkNames)"' then 'canal_json'
    end
{%- endmacro %}
