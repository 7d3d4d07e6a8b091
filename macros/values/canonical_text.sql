{#- The text of a value as the message has it, to the text a person would write: digits for base64 decimals,
    a date for a number of days, labels for an enum's number, upper-case hex for bytes.
    `wire` names a struct<wire_encoding string, scale int, labels array<string>>; NULL means text.
    What an encoding cannot read is never read as another one: the text is kept after a mark, which makes it a misfit of
    every type (see `typed`), and nothing is lost.
    `encodings` names those that occur, where that is known: the others need no branch. `time_zone` is the feed's, the zone
    of the source's clock, for `instant_millis`. -#}

{#- text                    as it came: numbers, labels, JSON, ISO instants with Z
    zoned_wall_clock        as it came: a wall clock in the producer's zone, which `typed` needs.
                            canal TIMESTAMP, in the zone of canal's JVM
    connect_decimal         base64 of a big-endian two's complement number with `scale` digits after the
                            decimal point (org.apache.kafka.connect.data.Decimal)
    variable_scale_decimal  {"scale":9,"value":"<the same>"} (io.debezium.data.VariableScaleDecimal)
    epoch_days              days since 1970-01-01 (io.debezium.time.Date, Connect Date)
    epoch_millis, epoch_micros, epoch_nanos
                            a wall clock counted as if it were UTC (io.debezium.time.Timestamp,
                            MicroTimestamp, NanoTimestamp; Connect Timestamp); for these and for days also the text itself
    instant_millis          milliseconds since 1970 of an instant that a wall clock in the source's zone was taken for, to that wall
                            clock with its offset after `UTC`, which `timestamp`, `timestamp_ntz` and `date` each read
                            (StreamX DATE)
    epoch_seconds           text of seconds since 1970 with a fraction, to an instant in UTC (DRS JSON TIMESTAMP)
    millis_of_day, micros_of_day, nanos_of_day
                            since midnight; MySQL's are also negative or longer than a day
                            (io.debezium.time.Time, MicroTime, NanoTime; Connect Time)
    iso_date, iso_timestamp, iso_time
                            2024-02-29Z, 2024-02-29T12:00:00.5Z, 12:00:00.5Z: a day, a wall clock, a time of day
                            (io.debezium.time.IsoDate, IsoTimestamp, IsoTime)
    bare_number             never read: a number that is bare where the message's schema says bytes
    encoded_list            never read: a list of values that are encoded each (Debezium on PostgreSQL's date[], numeric[], bytea[])
    base64_binary           base64 in either alphabet (Connect bytes; binary.handling.mode=base64...), filled up with zero bytes to
                            `scale` bytes (maxwell: its stream cuts the zeros at the end of binary(n))
    hex_binary              hexadecimal digits (binary.handling.mode=hex, which no schema shows)
    byte_list               [106, -1]: a list of bytes, signed or not (DRS)
    latin1_binary           one character per byte, filled up with zero bytes to `scale` bytes (canal: it
                            cuts the zeros at the end of binary(n))
    latin1_text             one character per byte of a text in UTF-8; a text with other characters as it came (canal: TEXT(500))
    base64_text             base64 of a text in UTF-8 (TiCDC's open protocol: TEXT)
    go_quoted_binary        bytes as Go quotes a string: \x80, \n (TiCDC's open protocol: BINARY, VARBINARY)
    located_wall_clock      {"location":"Asia/Shanghai","value":"2024-02-26 16:32:23"}: a wall clock and its zone, to
                            both in one text (TiCDC simple TIMESTAMP)
    little_endian_bits      base64, the lowest byte first, to an unsigned number of at most `scale` bits (io.debezium.data.Bits)
    big_endian_bits         base64, the highest byte first, to an unsigned number of at most `scale` bits, 64 where there is
                            none; zero bytes in front may be missing (OMS BIT: they are in a full load, not in the stream)
    wrapped_unsigned_8, wrapped_unsigned_16, wrapped_unsigned_24, wrapped_unsigned_32, wrapped_unsigned_64
                            an unsigned number of so many bits in a signed one (Debezium: BIGINT UNSIGNED by default; INTEGER
                            UNSIGNED, and ZEROFILL alone, as a statement of the stream names them)
    enum_number             the index in `labels`, from 1; 0 is MySQL's '' for an invalid value (canal)
    set_mask                a bit mask over `labels`, to a comma list (canal)
    dtle_year               a year, in a full load counted from 1900: 121 is 2021
    dtle_timestamp          an instant; year 1 is MySQL's 0000-00-00 00:00:00
    escaped_label           a label in which Debezium's MySQL connectors escape a comma in the stream, but
                            not in the snapshot (captured) -#}
{% macro canonical_text(wire_text, wire, encodings=none, time_zone='UTC') -%}
    {%- set whole = 'cast(' ~ wire_text ~ ' as bigint)' -%}
    {%- set texts = {
        'connect_decimal': cdc._of_base64(
            wire_text,
            cdc._decimal_text("named_struct('value', " ~ wire_text ~ ", 'scale', " ~ wire ~ ".scale)"),
        ),
        'variable_scale_decimal': cdc._variable_scale_text(wire_text),
        'epoch_days': cdc._of_count(wire_text, cdc._date_text(whole)),
        'epoch_millis': 'coalesce('
            ~ cdc._of_count(wire_text, cdc._wall_clock_text(whole, 1000, 9223372036825200, -9223372036832400)) ~ ', '
            ~ cdc._millis_and_nanos_text(wire_text) ~ ')',
        'epoch_micros': cdc._of_count(
            wire_text, cdc._wall_clock_text(whole, 1000000, 9223372036825200000, -9223372036832400000)
        ),
        'epoch_nanos': cdc._of_count(wire_text, cdc._unless_wrapped(
            whole, cdc._wall_clock_text(whole, 1000000000, 9223372036854775807, '-9223372036854775808')
        )),
        'instant_millis': cdc._of_count(wire_text, cdc._zoned_clock_text(whole, time_zone)),
        'millis_of_day': cdc._of_whole(wire_text, cdc._time_text(whole, 1000)),
        'micros_of_day': cdc._of_whole(wire_text, cdc._time_text(whole, 1000000)),
        'nanos_of_day': cdc._of_whole(wire_text, cdc._time_text(whole, 1000000000)),
        'epoch_seconds': cdc._instant_text(wire_text),
        'byte_list': cdc._byte_list_hex(wire_text),
        'located_wall_clock': cdc._located_text(wire_text),
        'iso_date': cdc._iso_date_text(wire_text),
        'iso_timestamp': cdc._iso_timestamp_text(wire_text),
        'iso_time': cdc._iso_time_text(wire_text),
        'base64_binary': cdc._filled_up(cdc._base64_hex(wire_text), wire ~ '.scale'),
        'base64_text': cdc._base64_text(wire_text),
        'go_quoted_binary': cdc._go_quoted_hex(wire_text),
        'hex_binary': cdc._hex_digits(wire_text),
        'latin1_binary': cdc._latin1_hex(wire_text, wire ~ '.scale'),
        'latin1_text': cdc._latin1_text(wire_text),
        'little_endian_bits': cdc._bits_number(wire_text, wire ~ '.scale'),
        'big_endian_bits': cdc._big_endian_number(wire_text, wire ~ '.scale'),
        'wrapped_unsigned_8': cdc._unsigned_number(wire_text, 8),
        'wrapped_unsigned_16': cdc._unsigned_number(wire_text, 16),
        'wrapped_unsigned_24': cdc._unsigned_number(wire_text, 24),
        'wrapped_unsigned_32': cdc._unsigned_number(wire_text, 32),
        'wrapped_unsigned_64': cdc._unsigned_number(wire_text, 64),
        'enum_number': cdc._enum_label(wire_text, wire ~ '.labels'),
        'set_mask': cdc._set_labels(wire_text, wire ~ '.labels'),
        'dtle_year': cdc._of_whole(wire_text, cdc._year_text(whole)),
        'dtle_timestamp': "if(" ~ wire_text ~ " like '0001-01-01T%', '0000-00-00 00:00:00', " ~ wire_text ~ ")",
        'escaped_label': cdc._unescaped_label(wire_text, wire ~ '.labels'),
    } -%}
    case
        when {{ wire }}.wire_encoding is null or {{ wire }}.wire_encoding in ('text', 'zoned_wall_clock')
            then {{ wire_text }}
        else coalesce(
            case {{ wire }}.wire_encoding
                when 'bare_number' then null
                when 'encoded_list' then null
                {%- for encoding, text in texts.items() if encodings is none or encoding in encodings %}
                when '{{ encoding }}' then {{ text }}
                {%- endfor %}
            end,
            concat({{ cdc.unreadable_mark() }}, {{ wire_text }})
        )
    end
{%- endmacro %}


{#- `decoded` where the text is a whole number of 64 bits, as a producer writes one: no blank, no plus, no zero in front. -#}
{% macro _of_whole(wire_text, decoded) -%}
    case
        when {{ wire_text }} rlike r'^(0|-?[1-9][0-9]{0,18})\z' and try_cast({{ wire_text }} as bigint) is not null
            then {{ decoded }}
    end
{%- endmacro %}


{#- The same for a count of days or moments; some producers write them out, and what is written out is itself. -#}
{% macro _of_count(wire_text, decoded) -%}
    case
        when {{ wire_text }} rlike r'^[-+]?[0-9]+-[0-9]{1,2}-[0-9]{1,2}([ T].*)?\z' then {{ wire_text }}
        else {{ cdc._of_whole(wire_text, decoded) }}
    end
{%- endmacro %}


{#- `decoded` where the text is base64 as RFC 4648 has it: padded, without a blank, no bit beyond the last byte. Spark takes
    more: 12 would be the byte D7. -#}
{% macro _of_base64(wire_text, decoded) -%}
    case
        when length({{ wire_text }}) % 4 = 0
            and {{ wire_text }} rlike r'^[A-Za-z0-9+/]*+((?<=[AQgw])==|(?<=[AEIMQUYcgkosw048])=)?\z'
            then {{ decoded }}
    end
{%- endmacro %}


{#- SQL has no "let": `transform(array(x), name -> ...)[0]` names x and computes it once. -#}
{% macro _decimal_text(number) -%}
    transform(
        array({{ number }}),
        number -> transform(
            array(nullif(hex(unbase64(number.value)), '')),
            bytes -> concat(
                if(bytes < '8', '', '-'),
                {{ cdc._with_point(cdc._digits(cdc._magnitude('bytes')), 'number.scale') }}
            )
        )[0]
    )[0]
{%- endmacro %}


{#- A scale beyond PostgreSQL's is no scale; zeros would fill the memory. A bare number as `value` is no base64. -#}
{% macro _variable_scale_text(wire_text) -%}
    case
        when {{ wire_text }} rlike r'^\{\s*("scale"\s*:\s*-?[0-9]{1,5}\s*,\s*)?"value"\s*:\s*"[A-Za-z0-9+/=]+"(\s*,\s*"scale"\s*:\s*-?[0-9]{1,5})?\s*\}\z'
            then transform(
                array(from_json({{ wire_text }}, 'value string, scale int')),
                decimal_parts -> if(
                    decimal_parts.scale between -16383 and 16383,
                    {{ cdc._of_base64('decimal_parts.value', cdc._decimal_text('decimal_parts')) }},
                    null
                )
            )[0]
    end
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


{#- From PostgreSQL's first day to the year 9999: a number beyond is seconds or finer. Its infinities
    come as overflows, different ones in a stream and in a snapshot (captured). -#}
{% macro _date_text(days) -%}
    case
        when {{ days }} in (-2147472692, -622191234) then 'infinity'
        when {{ days }} in (-2147472691, -625821272) then '-infinity'
        when {{ days }} between -2440588 and 2932896
            then cast(date_from_unix_date(cast({{ days }} as int)) as string)
    end
{%- endmacro %}


{#- No session's time zone takes part. PostgreSQL's infinities are numbers of their own (docs/formats/debezium_json.md,
    captured). From PostgreSQL's first day to the year 9999: a number beyond counts something finer. -#}
{% macro _wall_clock_text(count, per_second, infinity, minus_infinity) -%}
    case
        when {{ count }} = {{ infinity }} then 'infinity'
        when {{ count }} = {{ minus_infinity }} then '-infinity'
        when {{ count }} between {{ -210866803200 * per_second }} and {{ [253402300800 * per_second - 1, 9223372036854775807] | min }}
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


{#- A count of nanoseconds ends in the year 2262, and Debezium lets it wrap: the last and the first day that SQL Server knows become days
    of 1816 and 1754, infinities that were counted in microseconds before become moments of 1969 and 1970. Which of the two
    was meant, nothing shows. -#}
{% macro _unless_wrapped(nanos, decoded) -%}
    case
        when not (
            {{ nanos }} between -4852202631933722624 and -4852116231933722625
            or {{ nanos }} between -6795364578871345152 and -6795278178871345153
            or {{ nanos }} in (-29575808000, 22375808000)
        )
            then {{ decoded }}
    end
{%- endmacro %}


{#- The wall clock of a zone at an instant, with the zone's offset then: `2024-11-15 10:14:29 UTC+08:00:00`. Shifting an instant by
    an offset asks no session's time zone. From PostgreSQL's first day to the year 9999. -#}
{% macro _zoned_clock_text(millis, time_zone) -%}
    case
        when {{ millis }} between -210866803200000 and 253402300799999
            then transform(
                array({{ millis }}),
                instant -> transform(
                    array(unix_millis(from_utc_timestamp(timestamp_millis(instant), '{{ time_zone }}'))),
                    clock -> concat({{ cdc._clock_of_millis('clock') }}, ' UTC', {{ cdc._offset_text('(clock - instant) div 1000') }})
                )[0]
            )[0]
    end
{%- endmacro %}


{% macro _clock_of_millis(millis) -%}
    cast(
                            timestamp_ntz '1970-01-01 00:00:00' + interval '0.001' second * {{ millis }} as string
                        )
{%- endmacro %}


{#- +08:00:00; no producer writes an offset so, with seconds that are none. -#}
{% macro _offset_text(seconds) -%}
    format_string(
                        '%s%02d:%02d:%02d',
                        if({{ seconds }} < 0, '-', '+'),
                        abs({{ seconds }}) div 3600,
                        abs({{ seconds }}) div 60 % 60,
                        abs({{ seconds }}) % 60
                    )
{%- endmacro %}


{#- DataWorks V2.0 writes milliseconds with the nanoseconds of the second after the decimal point (document). -#}
{% macro _millis_and_nanos_text(wire_text) -%}
    case
        when {{ wire_text }} rlike r'^[0-9]{4,15}[.][0-9]{9}\z'
            and {{ wire_text }} rlike r'000[.]|([0-9]{3})[.]\1'
            and cast(substring_index({{ wire_text }}, '.', 1) as bigint) < 253402300800000
            then concat(
                timestamp_ntz '1970-01-01 00:00:00'
                + interval '1' second * (cast(substring_index({{ wire_text }}, '.', 1) as bigint) div 1000),
                '.',
                substring_index({{ wire_text }}, '.', -1)
            )
    end
{%- endmacro %}


{#- [-]hh:mm:ss and at least six digits; MySQL's TIME goes from -838:59:59 to 838:59:59. -#}
{% macro _time_text(count, per_second) -%}
    case when {{ count }} between {{ 1 - 839 * 3600 * per_second }} and {{ 839 * 3600 * per_second - 1 }} then concat(
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
    ) end
{%- endmacro %}


{#- `encode` raises an error at a character beyond 255, which no byte can be. -#}
{% macro _latin1_hex(wire_text, length) -%}
    case
        when {{ wire_text }} not rlike r'[^\x00-\xFF]' and coalesce(length({{ wire_text }}) <= {{ length }}, true)
            then concat(
                hex(encode({{ wire_text }}, 'ISO-8859-1')),
                repeat('00', coalesce({{ length }} - length({{ wire_text }}), 0))
            )
    end
{%- endmacro %}


{#- What is no UTF-8 is no such text. -#}
{% macro _latin1_text(wire_text) -%}
    case
        when {{ wire_text }} rlike r'[^\x00-\xFF]' then {{ wire_text }}
        else try_validate_utf8(cast(encode({{ wire_text }}, 'ISO-8859-1') as string))
    end
{%- endmacro %}


{#- Seconds since 1970, with as many digits after the decimal point as came. 0 is no TIMESTAMP of MySQL. -#}
{% macro _instant_text(wire_text) -%}
    case
        when {{ wire_text }} rlike r'^[1-9][0-9]{0,10}(\.[0-9]+)?\z'
            then concat(
                timestamp_ntz '1970-01-01 00:00:00'
                + interval '1' second * cast(substring_index({{ wire_text }}, '.', 1) as bigint),
                regexp_extract({{ wire_text }}, r'\.[0-9]+', 0),
                'Z'
            )
    end
{%- endmacro %}


{#- One list of nothing but bytes. -#}
{% macro _byte_list_hex(wire_text) -%}
    case
        when {{ wire_text }} rlike r'^\[ *\]\z' then ''
        when {{ wire_text }} rlike r'^\[[-0-9, ]*+\]\z'
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


{#- Bits of PostgreSQL that are all zero come without a byte (captured). More bits than the column has are none of its
    values. -#}
{% macro _bits_number(wire_text, bits) -%}
    {{ cdc._of_base64(wire_text, cdc._number_of_bits(
        "array_join(reverse(regexp_extract_all(hex(unbase64(" ~ wire_text ~ ")), '..', 0)), '')", bits
    )) }}
{%- endmacro %}


{#- The same, the highest byte first; MySQL's BIT has at most 64. -#}
{% macro _big_endian_number(wire_text, bits) -%}
    {{ cdc._of_base64(wire_text, cdc._number_of_bits('hex(unbase64(' ~ wire_text ~ '))', 'coalesce(' ~ bits ~ ', 64)')) }}
{%- endmacro %}


{#- Hexadecimal digits to a number; NULL where it has more bits, if `bits` is not NULL. -#}
{% macro _number_of_bits(hex_digits, bits) -%}
    transform(
            array({{ hex_digits }}),
            digits -> if(
                coalesce({{ cdc._count_of_bits('digits') }} <= {{ bits }}, true),
                regexp_replace(
                    {{ cdc._digits("regexp_replace(digits, '^$', '0')") }},
                    '^0+(?=.)',
                    ''
                ),
                null
            )
        )[0]
{%- endmacro %}


{#- How many bits a number in hexadecimal digits takes. -#}
{% macro _count_of_bits(hex_digits) -%}
    greatest(length(ltrim('0', {{ hex_digits }})) * 4 - 4, 0)
                + length(ltrim('0', conv(left(ltrim('0', {{ hex_digits }}), 1), 16, 2)))
{%- endmacro %}


{#- A negative number of so many bits plus 2^bits; any other stays as it is. -#}
{% macro _unsigned_number(wire_text, bits) -%}
    {%- set number = 'cast(' ~ wire_text ~ ' as bigint)' -%}
    case
        when {{ wire_text }} rlike r'^(0|[1-9][0-9]{0,19})\z' then {{ wire_text }}
        when {{ wire_text }} like '-%'
            then {{ cdc._of_whole(
                wire_text, 'if(' ~ number ~ ' >= ' ~ -(2 ** (bits - 1)) ~ ', cast(' ~ number ~ ' + ' ~ 2 ** bits ~ ' as string), null)'
            ) }}
    end
{%- endmacro %}


{#- 121 is 2021, 2021 is itself. -#}
{% macro _year_text(year) -%}
    case
        when {{ year }} between 1 and 255 then cast({{ year }} + 1900 as string)
        when {{ year }} between 0 and 9999 then cast({{ year }} as string)
    end
{%- endmacro %}


{#- A day with or without a Z. PostgreSQL's infinities are days of their own, as in `_date_text`. -#}
{% macro _iso_date_text(wire_text) -%}
    case
        when {{ wire_text }} in ('-5877611-06-21Z', '-1701532-04-05Z') then 'infinity'
        when {{ wire_text }} in ('-5877611-06-22Z', '-1711471-07-22Z') then '-infinity'
        when {{ wire_text }} rlike r'^[-+]?[0-9]{4,}-[0-9]{2}-[0-9]{2}Z?\z' then rtrim('Z', {{ wire_text }})
    end
{%- endmacro %}


{#- A wall clock with Z, as the counts of moments are written. PostgreSQL's infinities are moments of their own (document: source code). -#}
{% macro _iso_timestamp_text(wire_text) -%}
    case
        when {{ wire_text }} = '+294247-01-10T04:00:25.2Z' then 'infinity'
        when {{ wire_text }} = '-290308-12-21T19:59:27.6Z' then '-infinity'
        when {{ wire_text }} rlike r'^[-+]?[0-9]{4,}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?Z\z'
            then rtrim('Z', replace({{ wire_text }}, 'T', ' '))
    end
{%- endmacro %}


{#- A time of day with Z, as the counts of times are written. -#}
{% macro _iso_time_text(wire_text) -%}
    case
        when {{ wire_text }} rlike r'^[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,9})?Z\z'
            then concat(
                left({{ wire_text }}, 8),
                '.',
                regexp_replace(rpad(substring(rtrim('Z', {{ wire_text }}), 10), 9, '0'), '000$', '')
            )
    end
{%- endmacro %}


{#- Two hexadecimal digits for each byte, after 0x or without it. -#}
{% macro _hex_digits(wire_text) -%}
    case
        when length({{ wire_text }}) % 2 = 0 and {{ wire_text }} rlike r'^(0x)?[0-9A-Fa-f]*\z'
            then upper(if(startswith({{ wire_text }}, '0x'), substring({{ wire_text }}, 3), {{ wire_text }}))
    end
{%- endmacro %}


{#- A label as the table's definition has it. -#}
{% macro _unescaped_label(wire_text, labels) -%}
    if(array_contains({{ labels }}, {{ wire_text }}), {{ wire_text }}, replace({{ wire_text }}, r'\,', ','))
{%- endmacro %}


{#- The label of a number; a producer may also write the label itself. -#}
{% macro _enum_label(wire_text, labels) -%}
    case
        when {{ wire_text }} in ('0', '') then ''
        when {{ wire_text }} rlike r'^[1-9][0-9]{0,4}\z' then get({{ labels }}, cast({{ wire_text }} as int) - 1)
        when {{ wire_text }} not rlike r'^[0-9]+\z' and array_contains({{ labels }}, {{ wire_text }}) then {{ wire_text }}
    end
{%- endmacro %}


{#- The lowest bit is the first label; a mask has no more bits than there are labels. A producer may also write the labels. -#}
{% macro _set_labels(wire_text, labels) -%}
    case
        when {{ wire_text }} in ('0', '') then ''
        when {{ wire_text }} rlike r'^[1-9][0-9]{0,19}\z'
            then if(
                cast({{ wire_text }} as decimal(20, 0)) <= 18446744073709551615
                and length(conv({{ wire_text }}, 10, 2)) <= size({{ labels }}),
                array_join(
                    filter(
                        {{ labels }},
                        (label, place)
                        -> substring(reverse(conv({{ wire_text }}, 10, 2)), place + 1, 1) = '1'
                    ),
                    ','
                ),
                null
            )
        when forall(split({{ wire_text }}, ','), label -> array_contains({{ labels }}, label)) then {{ wire_text }}
    end
{%- endmacro %}


{#- The wall clock with its zone after it, as a cast to timestamp reads it. -#}
{% macro _located_text(wire_text) -%}
    transform(
        array(from_json({{ wire_text }}, 'location string, value string')),
        located -> if(located.value rlike '-.*:', concat(located.value, ' ', located.location), null)
    )[0]
{%- endmacro %}


{#- Base64 of a text in UTF-8. -#}
{% macro _base64_text(wire_text) -%}
    {{ cdc._of_base64(wire_text, 'try_validate_utf8(cast(unbase64(' ~ wire_text ~ ') as string))') }}
{%- endmacro %}


{#- Hexadecimal digits with zero bytes after them, as a BINARY(n) has `length` bytes; NULL where there are more. Without
    a length nothing is added. -#}
{% macro _filled_up(hex_digits, length) -%}
    transform(
            array({{ hex_digits }}),
            digits -> if(length(digits) > 2 * {{ length }}, null, concat(digits, repeat('0', coalesce(2 * {{ length }} - length(digits), 0))))
        )[0]
{%- endmacro %}


{#- Bytes in one of base64's two alphabets. -#}
{% macro _base64_hex(wire_text) -%}
    case
        when not ({{ wire_text }} rlike '[-_]' and {{ wire_text }} rlike '[+/]')
            then {{ cdc._of_base64("translate(" ~ wire_text ~ ", '-_', '+/')", "hex(unbase64(translate(" ~ wire_text ~ ", '-_', '+/')))") }}
    end
{%- endmacro %}


{#- Go's quoting of a string: characters as they are, \xhh a byte, \uhhhh and \Uhhhhhhhh a code point, a letter or sign
    after a backslash. A text with any other backslash is not quoted by Go. -#}
{% macro _go_quoted_hex(wire_text) -%}
    case
        when not contains({{ wire_text }}, '\\') then hex(encode({{ wire_text }}, 'UTF-8'))
        when {{ wire_text }} rlike {{ cdc._go_quoted_whole() }}
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
    r'^(?s:[^\\]|\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8}|\\[abfnrtv\\"])*+\z'
{%- endmacro %}
