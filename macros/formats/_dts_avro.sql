{#- Changes in the record that Aliyun DTS and OceanBase OMS write, as binary Avro or as the JSON of it, with or without
    the names of union branches. A format chains these fragments, and writes what is its own as a CTE between them:

    _dts_messages               from bronze to `read_statements`: the message, its values, its statement, and the parts of the
                                table's name as `object_parts`
    (the format's own)          `placed`: the table as `place`, a struct of catalog_name, database_name, schema_name and table_name,
                                and `no_table_error`, why there is none
    _dts_parsed_rows            from `placed` to `parsed_rows`, for to_change_contract -#}

{% macro _dts_messages(messages) -%}
    {%- set clock_members = 'year string, month string, day string, hour string, minute string, second string,'
        ~ ' millis string' -%}
    {%- set cell_members = 'value string, charset string, `timestamp` string, timezone string,\n                    '
        ~ clock_members ~ ',\n                    value_branch struct<bytes string, ' ~ clock_members ~ '>' -%}
    {%- set cells = 'array<struct<\n                    branch string, empty string, ' ~ cell_members
        ~ ',\n                    content struct<' ~ cell_members ~ '>\n                >>' -%}
    {%- set fields = 'array<struct<name string, dataTypeNumber string>>' -%}
    texts as (

        select
            *,
            {{ cdc.json_text('value') }} as text
        from {{ messages }}

    ),

    renderings as (

        select
            *,
            case when startswith(ltrim(text), '{') then {{ cdc._dts_in_one_shape(cdc.mark_fractions('text')) }} end
                as json_rendering,
            case when not coalesce(startswith(ltrim(text), '{'), false) then value end as avro_record
        from texts

    ),

    parsed as (

        select
            *,
            {{ cdc.decode_object('json_rendering', '''
                id string, sourceTimestamp string, sourceTxid string, source struct<sourceType string>,
                operation string, objectName string, objectName_branch struct<string string>,
                processTimestamps array<string>, processTimestamps_branch struct<array array<string>>,
                tags map<string, string>,
                fields ' ~ fields ~ ', fields_branch struct<array ' ~ fields ~ '>,
                beforeImages ' ~ cells ~ ',
                beforeImages_branch struct<array ' ~ cells ~ '>,
                afterImages ' ~ cells ~ ',
                afterImages_branch struct<string string, array ' ~ cells ~ '>,
                afterImages_text string''') }} as marked_object,
            {{ cdc.decode_avro('avro_record', cdc.dts_avro_schema()) }} as marked_record
        from renderings

    ),

    read_records as (

        select
            *,
            {{ cdc.decoded_object('marked_object') }} as json_message,
            {{ cdc.decoded_avro('marked_record') }} as avro_message
        from parsed

    ),

    decoded as (

        select
            *,
            coalesce(
                case
                    when json_message is not null
                        then named_struct(
                            'id', {{ cdc.unmarked('json_message.id') }},
                            'seconds', {{ cdc.unmarked('json_message.sourceTimestamp') }},
                            'source_txid', json_message.sourceTxid,
                            'source_type', json_message.source.sourceType,
                            'operation', {{ cdc.unmarked('json_message.operation') }},
                            'object_name', coalesce(json_message.objectName_branch.string, json_message.objectName),
                            'process_times', coalesce(
                                json_message.processTimestamps_branch.array, json_message.processTimestamps
                            ),
                            'keys', json_message.tags['pk_uk_info'],
                            'fields', coalesce(json_message.fields_branch.array, json_message.fields),
                            'ddl', coalesce(json_message.afterImages_branch.string, json_message.afterImages_text),
                            'before', transform(
                                coalesce(json_message.beforeImages_branch.array, json_message.beforeImages),
                                cell -> {{ cdc._dts_json_cell('cell') }}
                            ),
                            'after', transform(
                                coalesce(json_message.afterImages_branch.array, json_message.afterImages),
                                cell -> {{ cdc._dts_json_cell('cell') }}
                            )
                        )
                end,
                case
                    when avro_message is not null
                        then named_struct(
                            'id', cast(avro_message.id as string),
                            'seconds', cast(avro_message.sourceTimestamp as string),
                            'source_txid', avro_message.sourceTxid,
                            'source_type', avro_message.source.sourceType,
                            'operation', avro_message.operation,
                            'object_name', avro_message.objectName,
                            'process_times', cast(avro_message.processTimestamps as array<string>),
                            'keys', avro_message.tags['pk_uk_info'],
                            'fields', cast(avro_message.fields.member_array as {{ fields }}),
                            'ddl', avro_message.afterImages.member_string,
                            'before', transform(
                                avro_message.beforeImages.member_array, cell -> {{ cdc._dts_avro_cell('cell') }}
                            ),
                            'after', transform(
                                avro_message.afterImages.member_array, cell -> {{ cdc._dts_avro_cell('cell') }}
                            )
                        )
                end
            ) as message
        from read_records

    ),

    named as (

        select
            *,
            upper(message.operation) as word,
            transform(message.fields, described -> described.name) as column_names,
            transform(message.before, cell -> {{ cdc._dts_value('cell') }}) as old_values,
            transform(message.after, cell -> {{ cdc._dts_value('cell') }}) as new_values,
            from_json(message.keys, 'map<string, array<string>>')['PRIMARY'] as primary_key,
            -- a dot inside a name is escaped
            transform(
                split(nullif(message.object_name, ''), r'\.'),
                part -> nullif(replace(part, r'\u002E', '.'), '')
            ) as object_parts
        from decoded

    ),

    read_statements as (

        select
            *,
            {{ cdc.read_statement('message.ddl') }} as statement
        from named

    )
{%- endmacro %}


{#- The texts of both formats have the same signs. -#}
{% macro _dts_parsed_rows(placed) -%}
    judged as (

        select
            *,
            word in ('INIT', 'INSERT', 'UPDATE', 'DELETE') as is_row_change,
            case
                when load_error is not null then load_error
                when value is null then {{ cdc.lost_delete_reason() }}
                when message is null and (startswith(ltrim(text), '{') or trim(text) in ('', 'null'))
                    then {{ cdc.undecodable_reason('value', 'text') }}
                when message is null then 'the value is neither a JSON object nor one whole Avro record of DTS'
                when word is null then 'operation is missing'
                when try_cast(message.id as bigint) is null and message.id is not null
                    then concat('id is not a whole number: ', message.id)
                when try_cast(message.seconds as bigint) is null and message.seconds is not null
                    then concat('sourceTimestamp is not a whole number: ', message.seconds)
                when word in (
                    'BEGIN', 'COMMIT', 'ROLLBACK', 'ABORT', 'HEARTBEAT', 'CHECKPOINT',
                    'COMMAND', 'FILL', 'FINISH', 'CONTROL', 'RDB', 'NOOP'
                )
                    then null
                when word = 'DDL' and coalesce(trim(message.ddl), '') = ''
                    then 'operation DDL without a statement in afterImages'
                -- which table it is that goes
                when word = 'DDL' and statement.kind = 'drop' and not statement.is_of_database and place.table_name is null
                    then no_table_error
                when word = 'DDL' and not statement.kind = 'truncate'
                    then {{ cdc.statement_error(
                        'statement.kind', 'statement', 'message.ddl',
                        'place.catalog_name, place.database_name, place.schema_name, place.table_name'
                    ) }}
                when word not in ('DDL', 'INIT', 'INSERT', 'UPDATE', 'DELETE')
                    then concat('operation is not known: ', message.operation)
                when size(object_parts) > 3 then concat('objectName has more than three parts: ', message.object_name)
                when place.table_name is null then no_table_error
                when word = 'DDL'
                    then {{ cdc.statement_error(
                        'statement.kind', 'statement', 'message.ddl',
                        'place.catalog_name, place.database_name, place.schema_name, place.table_name'
                    ) }}
                when coalesce(size(message.fields), 0) < 1 then 'fields is missing, empty, or not a list of columns'
                when exists(column_names, column_name -> column_name is null) then 'a column in fields has no name'
                when size(column_names) <> size(array_distinct(column_names))
                    then 'a column name occurs twice in fields'
                when word = 'DELETE' and old_values is null
                    then 'operation DELETE without a list of values in beforeImages'
                when word <> 'DELETE' and new_values is null
                    then concat('operation ', word, ' without a list of values in afterImages')
                when word in ('UPDATE', 'DELETE') and old_values is not null and size(old_values) <> size(column_names)
                    then concat(size(column_names), ' fields, but ', size(old_values), ' values in beforeImages')
                when word <> 'DELETE' and size(new_values) <> size(column_names)
                    then concat(size(column_names), ' fields, but ', size(new_values), ' values in afterImages')
                when word in ('UPDATE', 'DELETE') and exists(old_values, cell -> cell.problem is not null)
                    then {{ cdc._dts_problem('old_values', 'beforeImages') }}
                when word <> 'DELETE' and exists(new_values, cell -> cell.problem is not null)
                    then {{ cdc._dts_problem('new_values', 'afterImages') }}
            end as row_error
        from {{ placed }}

    ),

    imaged as (

        select
            *,
            case when row_error is null and word in ('UPDATE', 'DELETE') then {{ cdc._dts_image('old_values') }} end
                as old_image,
            case when row_error is null and is_row_change and word <> 'DELETE' then {{ cdc._dts_image('new_values') }} end
                as new_image,
            -- nothing but a change of a row has a key
            case
                when row_error is null and is_row_change
                    then coalesce(
                        feed_key_columns[concat_ws('.', place.database_name, place.schema_name, place.table_name)],
                        case when size(primary_key) > 0 then primary_key end
                    )
            end as key_names,
            case
                when size(message.fields) > 0
                    then to_json(
                        named_struct(
                            'sourceType', message.source_type,
                            'fields', transform(
                                message.fields,
                                (described, place_in_row) -> named_struct(
                                    'name', described.name,
                                    'dataTypeNumber', try_cast(described.dataTypeNumber as int),
                                    'isBinary', case
                                        when get(new_values, place_in_row).is_binary
                                            or get(old_values, place_in_row).is_binary
                                            then true
                                    end
                                )
                            )
                        )
                    )
            end as type_text
        from judged

    ),

    keyed as (

        select
            *,
            {{ cdc.key_values_of_either('key_names', 'new_image', 'old_image') }} as key_of_row,
            case when word = 'UPDATE' then {{ cdc.key_values('key_names', 'old_image') }} end as key_before,
            array_except(column_names, map_keys(old_image)) as missing_before,
            array_except(column_names, map_keys(new_image)) as missing_after
        from imaged

    ),

    operations as (

        select
            *,
            case
                when row_error is not null then 'unknown'
                when value is null then 'tombstone'
                when word = 'INIT' then 'snapshot'
                when is_row_change then lower(word)
                when word = 'DDL' and statement.kind = 'truncate' then 'truncate'
                when word = 'DDL' then 'schema_change'
                when word = 'BEGIN' then 'transaction_begin'
                when word in ('COMMIT', 'ROLLBACK', 'ABORT') then 'transaction_end'
                when word in ('HEARTBEAT', 'CHECKPOINT') then 'heartbeat'
                else 'ignored'
            end as whole_operation,
            if(feed_settings['order'] = 'offset', 'offset', 'position') as scope_of_order,
            -- 0 means no number
            case
                when row_error is null and word <> 'INIT' and not feed_settings['order'] <=> 'offset'
                    then nullif(try_cast(try_cast(message.id as bigint) as decimal(38, 0)), 0)
            end as record_number
        from keyed

    ),

    parsed_rows as (

        select
            {{ cdc.record_columns() }},
            0 as image_index,
            whole_operation as operation,
            message.operation as source_operation,
            {{ cdc.unknown_error('row_error', 'text', 'dts_avro') }} as error,
            lower(nullif(message.source_type, '')) as source_type,
            place.catalog_name,
            place.database_name,
            place.schema_name,
            place.table_name,
            key_names as key_columns,
            key_of_row as row_key,
            key_before,
            old_image as before_image,
            new_image as after_image,
            size(missing_before) = 0 as is_before_complete,
            size(missing_after) = 0 as is_after_complete,
            missing_before as before_unavailable,
            missing_after as after_unavailable,
            type_text as schema_text,
            {{ cdc.epoch_seconds('message.seconds') }} as changed_at,
            {{ cdc.epoch_millis(cdc.unmarked('get(message.process_times, size(message.process_times) - 1)')) }} as captured_at,
            nullif(message.source_txid, '') as transaction_id,
            if(whole_operation = 'snapshot', 0, 1) as phase,
            array_compact(array(record_number)) as position,
            scope_of_order as order_scope,
            cast(null as string) as position_space,
            case when whole_operation = 'snapshot' then message.operation end as snapshot_mark,
            message.ddl,
            statement.kind as ddl_kind
        from operations

    )
{%- endmacro %}


{#- The JSON of a record with every member under a name that shows its kind, so that one decode reads both renderings:
    a union that names its branch becomes <name>_branch, a statement afterImages_text, an empty value an object. Quotes
    inside a text are escaped, so nothing inside a text is taken for a member. -#}
{% macro _dts_in_one_shape(text) -%}
    {%- set steps = [
        ('"(objectName|processTimestamps|fields|beforeImages|afterImages|value)"\\s*+:\\s*+\\{', '"$1_branch":{'),
        ('"afterImages"\\s*+:\\s*+"', '"afterImages_text":"'),
        ('\\{\\s*+"int"\\s*+:\\s*+(-?[0-9]++)\\s*+\\}', '$1'),
        ('"com\\.alibaba\\.dts\\.formats\\.avro\\.EmptyObject"\\s*+:', '"empty":'),
        ('"com\\.alibaba\\.dts\\.formats\\.avro\\.(\\w+)"\\s*+:', '"branch":"$1","content":'),
        ('([\\[,]\\s*+)"(NONE|NULL)"(?=\\s*+[,\\]])', '$1{"empty":"$2"}')
    ] -%}
    {%- set shaped = namespace(text=text) -%}
    {%- for pattern, replacement in steps -%}
        {%- set shaped.text = "regexp_replace(" ~ shaped.text ~ ", r'" ~ pattern ~ "', '" ~ replacement ~ "')" -%}
    {%- endfor -%}
{{ shaped.text }}
{%- endmacro %}


{#- One value of an image in the members that all renderings share. Without the name of its branch a value is recognised
    by its members. -#}
{% macro _dts_json_cell(cell) -%}
    {%- set parts = ['year', 'month', 'day', 'hour', 'minute', 'second', 'millis'] -%}
    case
        when {{ cell }} is not null
            then named_struct(
                'kind', case
                    when {{ cell }}.empty is not null
                        then if({{ cell }}.empty in ('NONE', 'NULL'), {{ cell }}.empty, null)
                    when {{ cdc._dts_member(cell, 'charset') }} is not null then 'Character'
                    when {{ cdc._dts_member(cell, 'timezone') }} is not null then 'DateTime'
                    when {{ cdc._dts_member(cell, 'timestamp') }} is not null then 'Timestamp'
                    when {{ cell }}.branch in ('BinaryObject', 'BinaryGeometry')
                        or {{ cdc._dts_member(cell, 'value_branch.bytes') }} is not null
                        then 'Binary'
                    when {{ cdc._dts_member(cell, 'value') }} is not null then 'Text'
                    when {{ cell }}.branch = 'DateTime'
                        or coalesce(
                            {%- for part in parts %}
                            {{ cdc._dts_member(cell, part) }}{{ ',' if not loop.last }}
                            {%- endfor %}
                        ) is not null
                        then 'DateTime'
                end,
                'text', {{ cdc.unmarked(cdc._dts_member(cell, 'value')) }},
                'charset', {{ cdc._dts_member(cell, 'charset') }},
                'bytes', {{ cdc._dts_bytes(
                    'coalesce(' ~ cdc._dts_member(cell, 'value_branch.bytes') ~ ', ' ~ cdc._dts_member(cell, 'value') ~ ')'
                ) }},
                'seconds', try_cast({{ cdc._dts_member(cell, 'timestamp') }} as bigint),
                {%- for part in parts %}
                '{{ part }}', try_cast(
                    coalesce({{ cdc._dts_member(cell, 'value_branch.' ~ part) }}, {{ cdc._dts_member(cell, part) }}) as int
                ),
                {%- endfor %}
                'timezone', {{ cdc._dts_member(cell, 'timezone') }}
            )
    end
{%- endmacro %}


{% macro _dts_member(cell, name) -%}
    coalesce({{ cell }}.content.{{ name }}, {{ cell }}.{{ name }})
{%- endmacro %}


{#- JSON writes one character for one byte. A character that is no byte was printed from decoded text. -#}
{% macro _dts_bytes(characters) -%}
    if(
        {{ characters }} rlike r'[^\x00-\xFF]',
        encode({{ characters }}, 'UTF-8'),
        encode({{ characters }}, 'ISO-8859-1')
    )
{%- endmacro %}


{% macro _dts_avro_cell(cell) -%}
    {%- set parts = ['year', 'month', 'day', 'hour', 'minute', 'second'] -%}
    {%- set clock = 'coalesce(' ~ cell ~ '.member_TimestampWithTimeZone.value, ' ~ cell ~ '.member_DateTime)' -%}
    case
        when {{ cell }} is not null
            then named_struct(
                'kind', case
                    when {{ cell }}.member_EmptyObject is not null then {{ cell }}.member_EmptyObject
                    when {{ cell }}.member_Character is not null then 'Character'
                    when {{ cell }}.member_Timestamp is not null then 'Timestamp'
                    when coalesce({{ cell }}.member_BinaryObject, {{ cell }}.member_BinaryGeometry) is not null
                        then 'Binary'
                    when {{ clock }} is not null then 'DateTime'
                    else 'Text'
                end,
                'text', coalesce(
                    {{ cell }}.member_Integer.value,
                    {{ cell }}.member_Decimal.value,
                    cast({{ cell }}.member_Float.value as string),
                    {{ cell }}.member_TextObject.value,
                    {{ cell }}.member_TextGeometry.value
                ),
                'charset', {{ cell }}.member_Character.charset,
                'bytes', coalesce(
                    {{ cell }}.member_Character.value,
                    {{ cell }}.member_BinaryObject.value,
                    {{ cell }}.member_BinaryGeometry.value
                ),
                'seconds', {{ cell }}.member_Timestamp.timestamp,
                {%- for part in parts %}
                '{{ part }}', {{ clock }}.{{ part }},
                {%- endfor %}
                'millis', coalesce({{ clock }}.millis, {{ cell }}.member_Timestamp.millis),
                'timezone', {{ cell }}.member_TimestampWithTimeZone.timezone
            )
    end
{%- endmacro %}


{#- What a value is in an image: its text, or that the image lacks it, or why that is not known. -#}
{% macro _dts_value(cell) -%}
    named_struct(
        'text', case {{ cell }}.kind
            when 'Text' then {{ cell }}.text
            when 'Character' then {{ cdc._dts_characters(cell) }}
            when 'Binary' then hex({{ cell }}.bytes)
            when 'Timestamp' then {{ cdc._dts_instant(cell) }}
            when 'DateTime' then {{ cdc._dts_wall_clock(cell) }}
        end,
        'is_absent', {{ cell }}.kind <=> 'NONE',
        'is_binary', {{ cell }}.kind <=> 'Binary',
        'problem', case
            when {{ cell }} is null or {{ cell }}.kind in ('NONE', 'NULL') then null
            when {{ cell }}.kind is null then 'is no value that this format knows'
            when {{ cell }}.kind = 'Character' and {{ cdc._dts_charset(cell) }} is null
                then concat('is in a character set that is not read here: ', {{ cell }}.charset)
            when not is_valid_utf8({{ cell }}.text) then 'is not UTF-8 text'
            when {{ cell }}.kind = 'Timestamp' and {{ cell }}.seconds is null then 'is a timestamp without seconds'
        end
    )
{%- endmacro %}


{% macro _dts_charset(cell) -%}
    case
        when lower({{ cell }}.charset) in ('', 'utf8', 'utf8mb3', 'utf8mb4', 'utf-8', 'ascii', 'us-ascii') then 'UTF-8'
        when lower({{ cell }}.charset) in ('latin1', 'iso-8859-1', 'iso8859-1') then 'ISO-8859-1'
    end
{%- endmacro %}


{#- Bytes that are no text of their character set stay one character per byte, the way Avro's JSON writes them. -#}
{% macro _dts_characters(cell) -%}
    coalesce(
        case when {{ cdc._dts_charset(cell) }} = 'UTF-8' then try_validate_utf8(cast({{ cell }}.bytes as string)) end,
        decode({{ cell }}.bytes, 'ISO-8859-1')
    )
{%- endmacro %}


{#- Date, time of day, both, or a year: whatever parts are there, and the zone if there is one. A negative part makes
    the whole a negative TIME. -#}
{% macro _dts_wall_clock(cell) -%}
    nullif(
        concat_ws(
            ' ',
            nullif(
                concat_ws(
                    '-',
                    {{ cdc._dts_at_least('4', cell ~ '.year') }},
                    {{ cdc._dts_two_digits(cell ~ '.month') }},
                    {{ cdc._dts_two_digits(cell ~ '.day') }}
                ),
                ''
            ),
            nullif(concat(
                if(least({{ cell }}.hour, {{ cell }}.minute, {{ cell }}.second, {{ cell }}.millis) < 0, '-', ''),
                concat_ws(
                    ':',
                    {{ cdc._dts_two_digits(cell ~ '.hour') }},
                    {{ cdc._dts_two_digits(cell ~ '.minute') }},
                    {{ cdc._dts_two_digits(cell ~ '.second') }}
                ),
                {{ cdc._dts_fraction('abs(' ~ cell ~ '.millis)', '6') }}
            ), ''),
            {{ cell }}.timezone
        ),
        ''
    )
{%- endmacro %}


{#- Seconds since 1970 as an instant. The number outside every calendar is MySQL's 0000-00-00 (document). -#}
{% macro _dts_instant(cell) -%}
    case
        when {{ cell }}.seconds = -9223372022400 then '0000-00-00 00:00:00'
        when {{ cell }}.seconds between -62135596800 and 253402300799
            then concat(
                timestamp_ntz '1970-01-01 00:00:00' + interval '1' second * {{ cell }}.seconds,
                {{ cdc._dts_fraction(
                    cell ~ '.millis',
                    "case feed_settings['timestamp_fraction'] when 'milliseconds' then 3 when 'nanoseconds' then 9 else 6 end"
                ) }},
                'Z'
            )
        else cast({{ cell }}.seconds as string)
    end
{%- endmacro %}


{#- A count of microseconds, or of what `digits` say; more than six digits are nanoseconds (inferred). -#}
{% macro _dts_fraction(count, digits) -%}
    if(
        {{ count }} <> 0,
        concat('.', {{ cdc._dts_at_least('if(' ~ count ~ ' > 999999, 9, ' ~ digits ~ ')', count) }}),
        ''
    )
{%- endmacro %}


{% macro _dts_two_digits(number) -%}
    {{ cdc._dts_at_least('2', 'abs(' ~ number ~ ')') }}
{%- endmacro %}


{#- A number with as many digits as wanted, never fewer than it has. -#}
{% macro _dts_at_least(digits, number) -%}
    lpad({{ number }}, greatest({{ digits }}, length({{ number }})), '0')
{%- endmacro %}


{% macro _dts_problem(cells, list) -%}
    concat(
        'column ',
        get(
            column_names,
            cast(array_position(transform({{ cells }}, cell -> cell.problem is not null), true) - 1 as int)
        ),
        ' of {{ list }} ',
        get(filter({{ cells }}, cell -> cell.problem is not null), 0).problem
    )
{%- endmacro %}


{#- The image, without what the producer left out. NULL where there are no values. -#}
{% macro _dts_image(cells) -%}
    map_from_entries(
        filter(
            zip_with(
                column_names,
                {{ cells }},
                (column_name, cell) -> if(cell.is_absent, null, named_struct('column', column_name, 'text', cell.text))
            ),
            entry -> entry is not null
        )
    )
{%- endmacro %}
