{#- The text of a value as the message has it, to the text a person would write: digits for base64 decimals,
    a date for a number of days, labels for an enum's number, upper-case hex for bytes.
    `wire` names a struct<wire_encoding string, scale int, labels array<string>>; NULL means text.
    What cannot be decoded stays as it came: typing then reports a misfit, and nothing is lost.
    `encodings` names those that occur, where that is known: the others need no branch. -#}

{#- text                    as it came: numbers, labels, JSON, ISO instants with Z
    zoned_wall_clock        as it came: a wall clock in the producer's zone, which `typed` needs.
                            canal TIMESTAMP, in the zone of canal's JVM
    connect_decimal         base64 of a big-endian two's complement number with `scale` digits behind the
                            point (org.apache.kafka.connect.data.Decimal)
    variable_scale_decimal  {"scale":9,"value":"<the same>"} (io.debezium.data.VariableScaleDecimal)
    epoch_days              days since 1970-01-01 (io.debezium.time.Date, Connect Date)
    epoch_millis, epoch_micros, epoch_nanos
                            a wall clock counted as if it were UTC (io.debezium.time.Timestamp,
                            MicroTimestamp, NanoTimestamp; Connect Timestamp)
    epoch_seconds           text of seconds since 1970 with a fraction, to an instant in UTC (DRS JSON TIMESTAMP)
    millis_of_day, micros_of_day, nanos_of_day
                            since midnight; MySQL's are also negative or longer than a day
                            (io.debezium.time.Time, MicroTime, NanoTime; Connect Time)
    iso_date                2024-02-29Z (io.debezium.time.IsoDate)
    base64_binary           base64 in either alphabet (Connect bytes; binary.handling.mode=base64...)
    hex_binary              hexadecimal digits (binary.handling.mode=hex, which no schema tells)
    byte_list               [106, -1]: a list of bytes, signed or not (DRS)
    latin1_binary           one character per byte, filled up with zero bytes to `scale` bytes (canal: it
                            cuts the zeros at the end of binary(n))
    base64_text             base64 of a text in UTF-8 (TiCDC's open protocol: TEXT)
    go_quoted_binary        bytes as Go quotes a string: \x80, \n (TiCDC's open protocol: BINARY, VARBINARY)
    located_wall_clock      {"location":"Asia/Shanghai","value":"2024-02-26 16:32:23"}: a wall clock and its zone, to
                            both in one text (TiCDC simple TIMESTAMP)
    little_endian_bits      base64, the lowest byte first, to an unsigned number (io.debezium.data.Bits)
    wrapped_unsigned_64     an unsigned number in a signed one (Debezium's BIGINT UNSIGNED by default)
    enum_number             the place in `labels`, from 1; 0 is MySQL's '' for an invalid value (canal)
    set_mask                a bit mask over `labels`, to a comma list (canal)
    dtle_year               a year, in a full load counted from 1900: 121 is 2021
    dtle_timestamp          an instant; year 1 stands for MySQL's 0000-00-00 00:00:00
    escaped_label           a label in which Debezium's MySQL connectors escape a comma in the stream, but
                            not in the snapshot (captured) -#}
{% macro canonical_text(wire_text, wire, encodings=none) -%}
    {%- set whole = 'try_cast(' ~ wire_text ~ ' as bigint)' -%}
    {%- set texts = {
        'connect_decimal': _decimal_text("named_struct('value', " ~ wire_text ~ ", 'scale', " ~ wire ~ ".scale)"),
        'variable_scale_decimal': _decimal_text("from_json(" ~ wire_text ~ ", 'value string, scale int')"),
        'epoch_days': _date_text(whole),
        'epoch_millis': _wall_clock_text(whole, 1000, 9223372036825200, -9223372036832400),
        'epoch_micros': _wall_clock_text(whole, 1000000, 9223372036825200000, -9223372036832400000),
        'epoch_nanos': _wall_clock_text(whole, 1000000000, 9223372036854775807, '-9223372036854775808'),
        'millis_of_day': _time_text(whole, 1000),
        'micros_of_day': _time_text(whole, 1000000),
        'nanos_of_day': _time_text(whole, 1000000000),
        'epoch_seconds': _instant_text(wire_text),
        'byte_list': _byte_list_hex(wire_text),
        'located_wall_clock': _located_text(wire_text),
        'iso_date': "rtrim('Z', " ~ wire_text ~ ")",
        'base64_binary': "hex(try_to_binary(translate(" ~ wire_text ~ ", '-_', '+/'), 'base64'))",
        'base64_text': _base64_text(wire_text),
        'go_quoted_binary': _go_quoted_hex(wire_text),
        'hex_binary': 'upper(' ~ wire_text ~ ')',
        'latin1_binary': _latin1_hex(wire_text, wire ~ '.scale'),
        'little_endian_bits': _bits_number(wire_text),
        'wrapped_unsigned_64': "if(" ~ wire_text ~ " like '-%', cast(" ~ whole ~ " + 18446744073709551616 as string), null)",
        'enum_number': _enum_label(wire_text, wire ~ '.labels'),
        'set_mask': _set_labels(wire_text, wire ~ '.labels'),
        'dtle_year': "if(" ~ whole ~ " between 1 and 255, cast(" ~ whole ~ " + 1900 as string), null)",
        'dtle_timestamp': "if(" ~ wire_text ~ " like '0001-01-01T%', '0000-00-00 00:00:00', null)",
        'escaped_label':
            "if(array_contains(" ~ wire ~ ".labels, " ~ wire_text ~ "), null, replace(" ~ wire_text ~ ", r'\\,', ','))",
    } -%}
    coalesce(
        case {{ wire }}.wire_encoding
            when 'text' then {{ wire_text }}
            {%- for encoding, text in texts.items() if encodings is none or encoding in encodings %}
            when '{{ encoding }}' then {{ text }}
            {%- endfor %}
        end,
        {{ wire_text }}
    )
{%- endmacro %}


{#- SQL has no "let": `transform(array(x), name -> ...)[0]` names x and computes it once. -#}
{% macro _decimal_text(number) -%}
    transform(
        array({{ number }}),
        number -> transform(
            array(nullif(hex(try_to_binary(number.value, 'base64')), '')),
            bytes -> concat(
                if(bytes < '8', '', '-'),
                {{ _with_point(_digits(_magnitude('bytes')), 'number.scale') }}
            )
        )[0]
    )[0]
{%- endmacro %}


{#- Hexadecimal digits of a two's complement number without its sign: in a negative one the last digit that
    is not 0 is taken from 16, those before it from 15. -#}
{% macro _magnitude(bytes) -%}
    case
        when {{ bytes }} < '8' then {{ bytes }}
        else concat(
            translate(
                regexp_extract({{ bytes }}, '^(.*)[^0]0*$', 1), '0123456789ABCDEF', 'FEDCBA9876543210'
            ),
            translate(
                regexp_extract({{ bytes }}, '[^0]0*$', 0), '123456789ABCDEF', 'FEDCBA987654321'
            )
        )
    end
{%- endmacro %}


{#- Hexadecimal digits to decimal digits, exact at any length: up to 64 bits at once; beyond, three bytes at
    a time into limbs of nine decimal digits, the lowest first. Leading zeros may stay. -#}
{% macro _digits(hex_digits) -%}
    transform(
        array({{ hex_digits }}),
        hex_digits -> case
            when length(hex_digits) <= 16 then conv(hex_digits, 16, 10)
            else aggregate(
                regexp_extract_all(
                    concat(repeat('0', 5 - (length(hex_digits) + 5) % 6), hex_digits), '.{6}', 0
                ),
                array(cast(0 as bigint)),
                (limbs, bytes3) -> aggregate(
                    limbs,
                    named_struct(
                        'carry', cast(conv(bytes3, 16, 10) as bigint),
                        'limbs', cast(array() as array<bigint>)
                    ),
                    (total, limb) -> named_struct(
                        'carry', (limb * 16777216 + total.carry) div 1000000000,
                        'limbs', array_append(
                            total.limbs, (limb * 16777216 + total.carry) % 1000000000
                        )
                    ),
                    total -> if(total.carry = 0, total.limbs, array_append(total.limbs, total.carry))
                ),
                limbs -> array_join(reverse(transform(limbs, limb -> lpad(limb, 9, '0'))), '')
            )
        end
    )[0]
{%- endmacro %}


{#- 12345 with scale 2 is 123.45, 5 with scale 2 is 0.05, with scale -2 it is 500. -#}
{% macro _with_point(digits, scale) -%}
    rtrim(
        '.',
        regexp_replace(
            concat(repeat('0', {{ scale }}), {{ digits }}, repeat('0', -{{ scale }})),
            concat(r'^0*(\d+)(\d{', greatest({{ scale }}, 0), r'})$'),
            '$1.$2'
        )
    )
{%- endmacro %}


{#- From PostgreSQL's first day on. Its infinities come as overflows, others in a stream and in a snapshot (captured). -#}
{% macro _date_text(days) -%}
    case
        when {{ days }} in (-2147472692, -622191234) then 'infinity'
        when {{ days }} in (-2147472691, -625821272) then '-infinity'
        when {{ days }} between -2440588 and 2147483647
            then cast(date_from_unix_date(cast({{ days }} as int)) as string)
    end
{%- endmacro %}


{#- No session's time zone takes part. PostgreSQL's infinities are numbers of their own (docs/formats/debezium_json.md,
    captured). From PostgreSQL's first day to what Spark can hold. -#}
{% macro _wall_clock_text(count, per_second, infinity, minus_infinity) -%}
    case
        when {{ count }} = {{ infinity }} then 'infinity'
        when {{ count }} = {{ minus_infinity }} then '-infinity'
        when {{ count }} between {{ -210866803200 * per_second }} and {{ 9223372036854 * per_second }}
            then concat(
                timestamp_ntz '1970-01-01 00:00:00'
                + interval '1' second
                * (({{ count }} - pmod({{ count }}, {{ per_second }})) div {{ per_second }}),
                rtrim(
                    '.0',
                    concat('.', substring({{ per_second }} + pmod({{ count }}, {{ per_second }}), 2))
                )
            )
    end
{%- endmacro %}


{#- [-]hh:mm:ss and at least six digits; MySQL's TIME goes from -838:59:59 to 838:59:59. -#}
{% macro _time_text(count, per_second) -%}
    concat(
        format_string(
            '%s%02d:%02d:%02d.',
            if({{ count }} < 0, '-', ''),
            abs({{ count }}) div {{ 3600 * per_second }},
            abs({{ count }}) div {{ 60 * per_second }} % 60,
            abs({{ count }}) div {{ per_second }} % 60
        ),
        regexp_replace(
            rpad(substring({{ per_second }} + abs({{ count }}) % {{ per_second }}, 2), 9, '0'), '000$', ''
        )
    )
{%- endmacro %}


{#- `encode` raises an error at a character beyond 255, which no byte can be. -#}
{% macro _latin1_hex(wire_text, length) -%}
    case
        when {{ wire_text }} not rlike r'[^\x00-\xFF]'
            then concat(
                hex(encode({{ wire_text }}, 'ISO-8859-1')),
                repeat('00', coalesce({{ length }} - length({{ wire_text }}), 0))
            )
    end
{%- endmacro %}


{#- Seconds since 1970, with as many digits behind the point as came. 0 is no TIMESTAMP of MySQL. -#}
{% macro _instant_text(wire_text) -%}
    case
        when {{ wire_text }} rlike r'^[1-9][0-9]{0,10}(\.[0-9]+)?$'
            then concat(
                timestamp_ntz '1970-01-01 00:00:00'
                + interval '1' second * cast(substring_index({{ wire_text }}, '.', 1) as bigint),
                regexp_extract({{ wire_text }}, r'\.[0-9]+', 0),
                'Z'
            )
    end
{%- endmacro %}


{#- A list with anything but bytes in it stays as it came. -#}
{% macro _byte_list_hex(wire_text) -%}
    case
        when {{ wire_text }} rlike r'^\[ *\]$' then ''
        when {{ wire_text }} like '[%]'
            then transform(
                array(
                    transform(
                        split(trim('[]', {{ wire_text }}), ','),
                        digits -> try_cast(digits as int)
                    )
                ),
                bytes -> if(
                    forall(bytes, byte -> byte between -128 and 255),
                    array_join(transform(bytes, byte -> lpad(hex(byte & 255), 2, '0')), ''),
                    null
                )
            )[0]
    end
{%- endmacro %}


{#- Bits of PostgreSQL that are all zero come without a byte (captured). -#}
{% macro _bits_number(wire_text) -%}
    {%- set bytes = "hex(try_to_binary(" ~ wire_text ~ ", 'base64'))" -%}
    regexp_replace(
        {{ _digits("regexp_replace(array_join(reverse(regexp_extract_all(" ~ bytes ~ ", '..', 0)), ''), '^$', '0')") }},
        '^0+(?=.)',
        ''
    )
{%- endmacro %}


{#- A number without a label stays a number. -#}
{% macro _enum_label(wire_text, labels) -%}
    if({{ wire_text }} = '0', '', get({{ labels }}, try_cast({{ wire_text }} as int) - 1))
{%- endmacro %}


{#- The lowest bit is the first label; a mask with more bits than labels stays a number. -#}
{% macro _set_labels(wire_text, labels) -%}
    case
        when {{ wire_text }} = '0' then ''
        when {{ wire_text }} rlike '^[1-9][0-9]{0,19}$'
            and length(conv({{ wire_text }}, 10, 2)) <= size({{ labels }})
            then array_join(
                filter(
                    {{ labels }},
                    (label, place)
                    -> substring(reverse(conv({{ wire_text }}, 10, 2)), place + 1, 1) = '1'
                ),
                ','
            )
    end
{%- endmacro %}


{#- The wall clock with its zone behind it, as a cast to timestamp reads it. -#}
{% macro _located_text(wire_text) -%}
    transform(
        array(from_json({{ wire_text }}, 'location string, value string')),
        told -> concat(told.value, ' ', told.location)
    )[0]
{%- endmacro %}


{#- Text in base64; what is no base64, or no UTF-8 behind it, stays as it came. -#}
{% macro _base64_text(wire_text) -%}
    try_validate_utf8(cast(try_to_binary({{ wire_text }}, 'base64') as string))
{%- endmacro %}


{#- Go's quoting of a string: characters as they are, \xhh a byte, \uhhhh and \Uhhhhhhhh a code point, a letter or sign
    behind a backslash. A text with any other backslash stays as it came. -#}
{% macro _go_quoted_hex(wire_text) -%}
    case
        when not contains({{ wire_text }}, '\\') then hex(encode({{ wire_text }}, 'UTF-8'))
        when {{ wire_text }} rlike {{ _go_quoted_whole() }}
            then array_join(
                transform(
                    regexp_extract_all(
                        {{ wire_text }},
                        r'\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8}|\\.|[^\\]+',
                        0
                    ),
                    part -> case
                        when startswith(part, r'\x') then upper(substring(part, 3))
                        when startswith(part, r'\u')
                            then hex(encode(decode(unhex(substring(part, 3)), 'UTF-16BE'), 'UTF-8'))
                        when startswith(part, r'\U')
                            then hex(encode(decode(unhex(substring(part, 3)), 'UTF-32'), 'UTF-8'))
                        when startswith(part, '\\')
                            then hex(translate(substring(part, 2), 'abfnrtv', '\u0007\u0008\u000C\u000A\u000D\u0009\u000B'))
                        else hex(encode(part, 'UTF-8'))
                    end
                ),
                ''
            )
    end
{%- endmacro %}


{% macro _go_quoted_whole() -%}
    r'^(?s:[^\\]|\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8}|\\[abfnrtv\\"])*+$'
{%- endmacro %}
