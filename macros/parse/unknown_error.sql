{#- The reason a row is unknown, with the name of the format its text looks like where that is another
    one than the feed declares. Only rows with a reason cost this search. A row of DRS has no sign that distinguishes it
    from Canal's: there Canal is not named. -#}
{% macro unknown_error(reason, text, declared_format) -%}
    {{ cdc.error_with_formats(reason, cdc.similar_formats(text, declared_format)) }}
{%- endmacro %}


{#- The same where what `similar_formats` returns is known already. -#}
{% macro error_with_formats(reason, formats) -%}
    case
        when {{ reason }} is not null
            then concat_ws('; this looks like ', {{ reason }}, {{ formats }})
    end
{%- endmacro %}


{#- The format that a text looks like, in an array; nothing where it is the declared one. -#}
{% macro similar_formats(text, declared_format) -%}
    {%- set declared = ['drs_json', 'drs_json_c', 'canal_json'] if declared_format in ('drs_json', 'drs_json_c') else [declared_format] -%}
    array_except(transform(array({{ text }}), text -> {{ cdc.looks_like('text') }}), array({{ cdc.quoted_list(declared) }}))
{%- endmacro %}


{#- The format whose signs a text has; NULL where it has none. Signs of one format that are no column names come
    first. Names are quoted and followed by a colon, so that text inside a value, where quotes are escaped, is no sign. -#}
{% macro looks_like(text) -%}
    case
        when not contains({{ text }}, '":') then null
        when {{ text }} rlike r'^\s*\{\s*"version":\s*"2\.0"' then 'dataworks_v2'
        when contains({{ text }}, '"action":') and {{ text }} rlike '"(entryType|dbValType|jdbcType)":'
            then 'cloudcanal_json'
        when contains({{ text }}, '"isDdl":')
            then case
                when contains({{ text }}, '"_tidb":') then 'canal_json_ticdc'
                when contains({{ text }}, '"tableChanges":') then 'canal_json_cloudcanal'
                when {{ text }} rlike r'"es":\s*[0-9]{10}\s*[,}]' then 'canal_json_ckafka'
                when not contains({{ text }}, '"id":') then 'canal_json_oms'
                -- DRS or DTS: only the feed shows which
                when {{ text }} rlike r'"type":\s*"(INIT|(INIT_)?DDL)"' or {{ text }} rlike r'"sqlType":\s*\{[^{}]*:\s*94\b'
                    then null
                else 'canal_json'
            end
        when contains({{ text }}, '"dataColumn":') or contains({{ text }}, '"sequenceId":') then 'streamx'
        when {{ text }} rlike r'^\s*\{\s*"(source|schema|before|after|op|payload|updateDescription)":'
            and {{ text }} rlike r'"op":\s*"[a-zA-Z]+"'
            and ({{ text }} rlike r'"source":\s*\{' or {{ text }} rlike r'"(before|after)":\s*(\{|null)')
            then case
                when contains({{ text }}, '"connector":"TiCDC"') then 'ticdc_debezium'
                when contains({{ text }}, '"connector":"MySQL"') then 'debezium_cloudcanal'
                when {{ text }} rlike r'"connector":\s*"OB_' then 'oms_debezium'
                when {{ text }} rlike r'"connector":\s*"' then 'debezium_json'
                when contains({{ text }}, '"ts_sec":') then 'dtle'
                else 'flink_cdc_debezium'
            end
        when contains({{ text }}, '"recordType":') and contains({{ text }}, '"allMetaData":')
            then case
                when contains({{ text }}, '"__light_type":') then 'oms_default_ext'
                -- without an image only the feed shows which
                when {{ text }} rlike r'"(prev|post)Struct":\s*\{' then 'oms_default'
            end
        when {{ text }} rlike r'"meta":\s*\{[^{}]*"op":'
            -- OMS writes the table, a hyphen and the key where SharePlex has the row id of Oracle
            then if({{ text }} rlike r'"rowid":\s*"[^"]*-', 'oms_shareplex', 'shareplex_quest')
        when contains({{ text }}, '"record-type":') then 'aws_dms'
        when contains({{ text }}, '"read_method":') then 'google_datastream'
        when contains({{ text }}, '"changeSequence":') or contains({{ text }}, '"magic":') then 'qlik_replicate'
        when contains({{ text }}, '"op_type":') then 'ogg_json'
        when contains({{ text }}, '"beforeImages":') or contains({{ text }}, '"afterImages":') then 'dts_avro'
        when contains({{ text }}, '"commitTs":') then 'ticdc_simple'
        when contains({{ text }}, '"tableChanges":')
            then case
                when contains({{ text }}, '"connector":"TiCDC"') then 'ticdc_debezium'
                when contains({{ text }}, '"connector":"MySQL"') then 'debezium_cloudcanal'
                when contains({{ text }}, '"ts_sec":') then 'dtle'
                else 'debezium_json'
            end
        when contains({{ text }}, '"data_collections":') then 'debezium_json'
        when {{ text }} rlike r'"op":\s*"HEARTBEAT"' then 'oms_debezium'
        when {{ text }} rlike r'(^|"payload":)\s*\{\s*"ts_ms":\s*[0-9]+\s*\}' then 'debezium_json'
        when contains({{ text }}, '"__op":') or contains({{ text }}, '"__deleted":') then 'debezium_smt'
        when contains({{ text }}, '"mysqlType":') or contains({{ text }}, '"pkNames":') then 'flink_cdc_canal'
        when {{ text }} rlike r'"type":\s*"(insert|update|delete|bootstrap-[a-z]+|table-[a-z]+|database-[a-z]+)"'
            and contains({{ text }}, '"ts":')
            then 'maxwell'
        when {{ text }} rlike r'"type":\s*"(INSERT|UPDATE|DELETE)"' and contains({{ text }}, '"data":') then 'flink_cdc_canal'
        when {{ text }} rlike r'^\s*\{\s*"[upd]":\s*\{\s*"[^"]*":\s*\{\s*"t":' then 'ticdc_open'
    end
{%- endmacro %}
