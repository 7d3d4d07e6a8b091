{#- Canonical text (see canonical_text) to a value of a Spark type, the same in every session; NULL
    where it does not fit. What fits only inexactly (a rounded decimal, a cut-off time of day) is found by
    `does_not_fit`. `time_zone` is the zone of a timestamp's text that names none, the feed's; the other
    types ignore it. `is_decoded` says whether the text may have the mark of one that its encoding could not read: no
    type but string has a value that begins so. -#}

{% macro typed(text, type, time_zone, is_decoded=false) -%}
    {%- set kind = type | lower | trim -%}
    {%- if kind == 'string' and is_decoded -%}
        if(startswith({{ text }}, {{ cdc.unreadable_mark() }}), null, {{ text }})
    {%- elif kind == 'string' -%}
        {{ text }}
    {%- elif kind.startswith('decimal(') -%}
        try_cast({{ text }} as {{ kind | replace(' ', '') | replace(',', ', ') }})
    {%- elif kind == 'date' -%}
        try_cast(rtrim('Z', {{ text }}) as date)
    {%- elif kind in ('boolean', 'tinyint', 'smallint', 'int', 'bigint', 'float', 'double', 'timestamp_ntz') -%}
        try_cast({{ text }} as {{ kind }})
    {%- elif kind == 'timestamp' -%}
        try_cast({{ cdc._with_zone(text, time_zone) }} as timestamp)
    {%- elif kind == 'binary' -%}
        if(length({{ text }}) % 2 = 0, unhex({{ text }}), null)
    {%- elif kind.startswith('array<') and kind[6:-1] | trim == 'tinyint' -%}
        {#- Spark takes up to 255 for a byte, and makes it negative -#}
        if(
            exists(from_json({{ text }}, 'array<smallint>'), number -> number > 127), null, from_json({{ text }}, 'array<tinyint>')
        )
    {%- elif kind.startswith('array<') and kind.endswith('>') and kind[6:-1] | trim in (
        'string', 'boolean', 'smallint', 'int', 'bigint', 'float', 'double'
    ) -%}
        from_json({{ text }}, '{{ kind }}')
    {%- else -%}
        {{ exceptions.raise_compiler_error(
            "The type '" ~ type ~ "' is not known. Known are string, boolean, tinyint, smallint, int,"
            ~ " bigint, decimal(p,s), float, double, date, timestamp, timestamp_ntz, binary, and array<...> of"
            ~ " string, boolean, tinyint, smallint, int, bigint, float or double. Declare other JSON as string,"
            ~ " and take it apart with from_json where you query."
        ) }}
    {%- endif -%}
{%- endmacro %}


{#- The text of a text's value, the same for all texts of one value; NULL where the text has no exact value of the type. Of an
    instant that is its clock in UTC: a cast would take the session's zone. -#}
{% macro text_of_value(text, type, time_zone) -%}
    {%- set value = cdc.typed(text, type, time_zone, is_decoded=true) -%}
    {%- if type == 'string' -%}
        {{ value }}
    {%- elif type == 'binary' -%}
        hex({{ value }})
    {%- elif type.startswith('decimal(') -%}
        if({{ cdc._is_rounded(text, (type.rstrip(')').split(',') + ['0'])[1]) }}, null, cast({{ value }} as string))
    {%- elif type in ('float', 'double') -%}
        if({{ cdc._has_lost_digits(text, value, cdc.whole_numbers_up_to(type)) }}, null, cast({{ value }} as string))
    {%- elif type in ('date', 'timestamp_ntz') -%}
        if({{ cdc._is_cut_off(text, type) }}, null, cast({{ value }} as string))
    {%- elif type == 'timestamp' -%}
        if(
            {{ cdc._is_cut_off(text, type) }},
            null,
            concat(timestamp_ntz '1970-01-01 00:00:00' + interval '0.000001' second * unix_micros({{ value }}), 'Z')
        )
    {%- else -%}
        cast({{ value }} as string)
    {%- endif -%}
{%- endmacro %}


{#- What begins a text that its encoding cannot read: a code point that Unicode keeps free of characters. -#}
{% macro unreadable_mark() -%}
    '\uFDD2'
{%- endmacro %}


{#- True where a text has no exact value of the type: none at all, or one that Spark rounded, cut off or
    guessed without an error; never NULL. `is_null` says whether `typed` gave NULL; `type` is an expression, lower
    case, so that one statement tests all columns of a table. `types` lists those that occur, where that is known: the others
    need no branch. -#}
{% macro does_not_fit(text, is_null, type, types=none) -%}
    {%- set kinds = [] -%}
    {%- for name in types or ['decimal', 'float', 'double', 'date', 'timestamp_ntz', 'timestamp', 'array'] -%}
        {%- do kinds.append(name.split('(')[0].split('<')[0] | trim) -%}
    {%- endfor -%}
    case
        when {{ text }} is null then false
        when {{ type }} = 'string' then startswith({{ text }}, {{ cdc.unreadable_mark() }})
        when {{ is_null }} then true
        -- a value of these is exact; most columns are of them, and the other tests cost more
        when {{ type }} in ({{ cdc.exact_types() }}) then false
        {%- if 'decimal' in kinds %}
        when {{ type }} like 'decimal(%'
            then {{ cdc._is_rounded(text, "coalesce(try_cast(regexp_extract(" ~ type ~ ", r',\\s*(\\d+)', 1) as int), 0)") }}
        {%- endif %}
        {%- if 'float' in kinds or 'double' in kinds %}
        when {{ type }} in ('float', 'double')
            then exists(
                array(if({{ type }} = 'float', double(try_cast({{ text }} as float)), try_cast({{ text }} as double))),
                number -> {{ cdc._has_lost_digits(
                    text, 'number',
                    'if(' ~ type ~ " = 'float', " ~ cdc.whole_numbers_up_to('float') ~ ', ' ~ cdc.whole_numbers_up_to('double') ~ ')'
                ) }}
            )
        {%- endif %}
        {%- if 'date' in kinds %}
        when {{ type }} = 'date' then {{ cdc._is_cut_off(text, 'date') }}
        {%- endif %}
        {%- if 'timestamp_ntz' in kinds %}
        when {{ type }} = 'timestamp_ntz' then {{ cdc._is_cut_off(text, 'timestamp_ntz') }}
        {%- endif %}
        {%- if 'timestamp' in kinds %}
        when {{ type }} = 'timestamp' then {{ cdc._is_cut_off(text, 'timestamp') }}
        {%- endif %}
        {%- if 'array' in kinds %}
        when {{ type }} like 'array<%' and {{ cdc._is_no_whole_array(text) }} then true
        when {{ type }} like 'array<%string%' then {{ cdc._has_bare_fraction(text) }}
        when {{ type }} like 'array<%float%'
            then exists({{ cdc._numbers(text) }}, number -> {{ cdc._is_out_of_range('number', 'try_cast(number as float)') }})
        when {{ type }} like 'array<%double%'
            then exists({{ cdc._numbers(text) }}, number -> {{ cdc._is_out_of_range('number', 'try_cast(number as double)') }})
        {%- endif %}
        else false
    end
{%- endmacro %}


{#- True where `does_not_fit` may be true of a text and the value that `typed` made of it, never NULL: cheap, and for one column
    alone. A value that gives its own text again is exact. -#}
{% macro may_not_fit(text, value, type) -%}
    {%- if type == 'string' or cdc.quoted(type) in cdc.exact_types() -%}
        {{ value }} is null and {{ text }} is not null
    {%- elif type.startswith('decimal(') or type == 'date' -%}
        coalesce(cast({{ value }} as string) <> {{ text }}, {{ text }} is not null)
    {%- elif type in ('float', 'double') -%}
        coalesce({{ value }} = 0 or abs({{ value }}) >= {{ cdc.whole_numbers_up_to(type) }}, {{ text }} is not null)
    {%- elif type in ('timestamp', 'timestamp_ntz') -%}
        {{ text }} is not null and ({{ value }} is null or {{ cdc._is_cut_off(text, type) }})
    {%- else -%}
        {{ text }} is not null
    {%- endif -%}
{%- endmacro %}


{#- The types that hold a text exactly or not at all. -#}
{% macro exact_types() -%}
    'bigint', 'int', 'smallint', 'tinyint', 'boolean', 'binary'
{%- endmacro %}


{#- Z, +08:00 or Europe/Berlin after a time of day wins over the feed's zone. A text without a day is no
    instant: Spark would take today. -#}
{% macro _with_zone(text, time_zone) -%}
    concat({{ text }}, case
        when {{ text }} rlike '-.*:.*([A-Za-z]|[-+][0-9:]+)$' then ''
        when {{ text }} like '%-%:%' then ' {{ time_zone }}'
    end)
{%- endmacro %}


{#- Spark takes 2024 for its first of January and cuts off a date's time of day and what is finer than a
    microsecond. A day or a wall clock may say Z (Debezium's isostring mode), but another zone would be lost; the clock's own
    zone is written as `instant_millis` writes it, ` UTC+08:00:00`. A year of six digits or more is PostgreSQL's infinity (the same mode). -#}
{% macro _is_cut_off(text, kind) -%}
    {%- set own_zone = ' UTC[-+][0-9]{2}:[0-9]{2}:[0-9]{2}' -%}
    {%- set day = '[-+]?[0-9]{1,5}-[0-9]+-[0-9]+' -%}
    {%- set time = '[ T][0-9]+:[0-9]+(:[0-9]+([.][0-9]{0,6}0*)?)?' -%}
    {%- if kind == 'date' -%}
        {{ text }} not rlike '^{{ day }}(Z|[ T][0:.]*(Z|{{ own_zone }})?)?$'
    {%- elif kind == 'timestamp_ntz' -%}
        {{ text }} not rlike '^{{ day }}({{ time }}(Z|{{ own_zone }})?)?$'
    {%- else -%}
        {{ text }} not rlike '^{{ day }}{{ time }}([^0-9.:].*)?$'
    {%- endif -%}
{%- endmacro %}


{#- Digits after the decimal point, less the zeros at the end, less the exponent: the scale that a text needs. -#}
{% macro _is_rounded(text, scale) -%}
    case
        when {{ text }} not rlike '[eE]'
            then length(regexp_extract({{ text }}, r'\.(\d*[1-9])', 1)) > {{ scale }}
        else {{ text }} rlike '^[^eE]*[1-9]'
            and length(regexp_extract({{ text }}, r'\.(\d*)', 1))
            - length(replace(regexp_extract({{ text }}, '([0.]*)[eE]', 1), '.', ''))
            - try_cast(regexp_extract({{ text }}, '[eE](.*)', 1) as int) > {{ scale }}
    end
{%- endmacro %}


{#- Spark reads an array to its end, and ignores what comes after it, without an error. -#}
{% macro _is_no_whole_array(text) -%}
    (trim({{ text }}) not like '[%]' or size(from_json(concat('[', {{ text }}, ',0]'), 'array<string>')) <> 2)
{%- endmacro %}


{#- The texts of the numbers in an array. -#}
{% macro _numbers(text) -%}
    split(regexp_replace({{ text }}, r'[\[\]"\s]', ''), ',')
{%- endmacro %}


{#- A number with a fraction or exponent outside the quotes: Spark writes it as the text of a double. Possessive: Java's other
    loops over groups take stack for each character. -#}
{% macro _has_bare_fraction(text) -%}
    regexp_replace({{ text }}, r'"(?:[^"\\]++|\\.)*+"', '') rlike '[0-9][.eE]'
{%- endmacro %}


{#- 1e400 becomes Infinity, 1e-400 becomes 0. -#}
{% macro _is_out_of_range(text, typed) -%}
    {{ text }} rlike '^[^eE]*[1-9]'
    and ({{ typed }} = 0 or abs({{ typed }}) = double('infinity'))
{%- endmacro %}


{#- Every whole number up to this one is a value of the type; from here on it has no others, and not all of these. -#}
{% macro whole_numbers_up_to(type) -%}
    {{ 16777216 if type == 'float' else 9007199254740992 }}
{%- endmacro %}


{#- Of a number that is large and written without an exponent it can be seen that the type does not hold it: `typed` is
    neither the number nor, where zeros end the text, within half of the last digit before them. A source's own double is one
    of these in every producer's way: exact, or its shortest or first so many digits with zeros after them. Smaller
    numbers with a fraction are not looked at: of 0.1, exact in no double, nothing shows what the source holds. -#}
{% macro _has_lost_digits(text, typed, whole_up_to) -%}
    {%- set digits = 'regexp_extract(' ~ text ~ ", '[0-9]+', 0)" -%}
    {%- set half = "cast(concat('0', regexp_replace(regexp_extract(" ~ digits ~ ", '0*$', 0), '^0', '5')) as decimal(38, 0))" -%}
    case
        when abs({{ typed }}) between {{ whole_up_to }} and 1e34 and {{ text }} rlike r'^[-+]?[0-9]+([.][0-9]*)?\z'
            then {{ text }} rlike '[.].*[1-9]'
                or abs({{ cdc._exact_whole_number(typed) }} - cast({{ digits }} as decimal(38, 0))) > {{ half }}
        else {{ cdc._is_out_of_range(text, typed) }}
    end
{%- endmacro %}


{#- A large double without its sign, in two parts: a cast to a decimal takes only its shortest digits. -#}
{% macro _exact_whole_number(number) -%}
    (
                    cast(cast(abs({{ number }}) / 4503599627370496 as bigint) as decimal(19, 0)) * 4503599627370496
                    + cast(abs({{ number }}) % 4503599627370496 as bigint)
                )
{%- endmacro %}
