{#- Canonical text (see canonical_text) to a value of a Spark type, the same in every session; NULL where it does
    not fit. What fits only inexactly - a rounded decimal, a cut-off time of day - is told by `does_not_fit`.
    `time_zone` is the zone of a timestamp's text that names none (the feed's); other types ignore it. -#}

{% macro typed(text, type, time_zone) -%}
    {%- set kind = type | lower | trim -%}
    {%- if kind == 'string' -%}
        {{ text }}
    {%- elif kind in ('boolean', 'tinyint', 'smallint', 'int', 'bigint', 'float', 'double', 'date', 'timestamp_ntz')
            or kind.startswith('decimal(') -%}
        try_cast({{ text }} as {{ kind }})
    {%- elif kind == 'timestamp' -%}
        try_cast(concat({{ text }}, if({{ text }} rlike '{{ _zone_pattern() }}', '', ' {{ time_zone }}')) as timestamp)
    {%- elif kind == 'binary' -%}
        if(length({{ text }}) % 2 = 0, unhex({{ text }}), null)
    {%- elif kind.startswith(('array<', 'map<', 'struct<')) -%}
        from_json({{ text }}, '{{ type | trim }}')
    {%- else -%}
        {{ exceptions.raise_compiler_error(
            "The type '" ~ type ~ "' is not known. Known are string, boolean, tinyint, smallint, int, bigint,"
            ~ " decimal(p,s), float, double, date, timestamp, timestamp_ntz, binary, array<...>, map<...>"
            ~ " and struct<...>."
        ) }}
    {%- endif -%}
{%- endmacro %}


{#- True where a text has no exact value of the type: none at all, or one that Spark rounded, cut or guessed
    in silence. `typed` is the typed value or the expression that made it. -#}
{% macro does_not_fit(text, typed, type) -%}
    {%- set kind = type | lower | trim -%}
    {%- if kind == 'string' -%}
        false
    {%- elif kind.startswith('decimal(') -%}
        ({{ text }} is not null and ({{ typed }} is null or {{ _is_rounded(text, typed, kind.rstrip(') ').split(',')[1] | int) }}))
    {%- elif kind in ('float', 'double') -%}
        ({{ text }} is not null and ({{ typed }} is null or {{ _is_out_of_range(text, typed) }}))
    {%- elif kind in ('date', 'timestamp', 'timestamp_ntz') -%}
        ({{ text }} is not null and ({{ typed }} is null or {{ text }} not rlike r'{{ _whole_pattern(kind) }}'))
    {%- else -%}
        ({{ text }} is not null and {{ typed }} is null)
    {%- endif -%}
{%- endmacro %}


{#- Z, +08:00 or Europe/Berlin behind a time of day. -#}
{% macro _zone_pattern() -%}
    :.*([A-Za-z]|[-+][0-9:]+)$
{%- endmacro %}


{#- What the type can hold in full. Spark also takes 2024 for the first of January, 10:15 for today, and cuts off
    a date's time of day and all digits behind microseconds. A wall clock may say Z, but no other zone. -#}
{% macro _whole_pattern(kind) -%}
    {%- set day = '^\s*[-+]?\d+-\d+-\d+' -%}
    {%- set time = '[ T]\d+:\d+(:\d+(\.\d{0,6}0*)?)?' -%}
    {%- if kind == 'date' -%} {{ day }}([ T][0:.]*Z?)?\s*$
    {%- elif kind == 'timestamp_ntz' -%} {{ day }}({{ time }}Z?)?\s*$
    {%- else -%} {{ day }}{{ time }}([^0-9.].*)?$
    {%- endif -%}
{%- endmacro %}


{#- Digits behind the point that the type has no room for: fraction digits, less the zeros at the end,
    less the exponent. -#}
{% macro _is_rounded(text, typed, scale) -%}
    case
        when {{ text }} not rlike '[eE]' then {{ text }} rlike r'\.\d{{ '{' ~ scale ~ '}' }}\d*[1-9]'
        when {{ text }} not rlike '^[^eE]*[1-9]' then false
        else length(regexp_extract({{ text }}, r'\.(\d*)', 1))
            - length(replace(regexp_extract({{ text }}, '([0.]*)[eE]', 1), '.', ''))
            - try_cast(regexp_extract({{ text }}, '[eE](.*)', 1) as int) > {{ scale }}
    end
{%- endmacro %}


{#- 1e400 became Infinity, 1e-400 became 0. -#}
{% macro _is_out_of_range(text, typed) -%}
    {{ text }} rlike '^[^eE]*[1-9]' and ({{ typed }} = 0 or abs({{ typed }}) = double('infinity'))
{%- endmacro %}
