{#- SQL functions that gold's statements call by name, so that they stay readable. They are made again whenever
    their text changed; applied_versions remembers which text stands in the catalogue. -#}

{% macro canonical_text_function() -%}
    {{ generate_schema_name('silver', none) }}.canonical_text
{%- endmacro %}


{% macro does_not_fit_function() -%}
    {{ generate_schema_name('silver', none) }}.does_not_fit
{%- endmacro %}


{% macro create_functions() -%}
    {%- set definitions = {
        canonical_text_function():
            "(wire_text string, wire struct<wire_encoding: string, scale: int, labels: array<string>>) returns string"
            ~ " comment 'The text a person would write for a value as it stands in a message.'"
            ~ " return " ~ canonical_text('wire_text', 'wire'),
        does_not_fit_function():
            "(text string, is_null boolean, type string) returns boolean"
            ~ " comment 'True where a text has no value of the type, or only an inexact one.'"
            ~ " return " ~ misfit_test('text', 'is_null', 'type')
    } -%}
    {%- set run = lakehouse_run() -%}
    {%- for name, definition in definitions.items() -%}
        {%- set text_id = local_md5(definition) -%}
        {%- if run.applied.get(name, {}).get('built_by') != text_id -%}
            {%- do run_query('create or replace function ' ~ name ~ definition) -%}
            {%- do run.applied_now.update({name: {'version': 0, 'built_by': text_id}}) -%}
        {%- endif -%}
    {%- endfor -%}
{%- endmacro %}


{#- does_not_fit for a type that is a value, not known when the statement is written. -#}
{% macro misfit_test(text, is_null, type) -%}
    case
        when {{ text }} is null or {{ type }} = 'string' then false
        when {{ is_null }} then true
        when {{ type }} like 'decimal(%' and {{ text }} rlike '[eE]'
            then {{ text }} rlike '^[^eE]*[1-9]'
            and length(regexp_extract({{ text }}, r'\.(\d*)', 1))
                - length(replace(regexp_extract({{ text }}, '([0.]*)[eE]', 1), '.', ''))
                - try_cast(regexp_extract({{ text }}, '[eE](.*)', 1) as int)
                > cast(regexp_extract({{ type }}, r',\s*(\d+)', 1) as int)
        when {{ type }} like 'decimal(%'
            then {{ text }} rlike concat(r'\.\d{{ '{' }}', regexp_extract({{ type }}, r',\s*(\d+)', 1), r'}\d*[1-9]')
        when {{ type }} = 'float' then {{ _is_out_of_range(text, 'try_cast(' ~ text ~ ' as float)') }}
        when {{ type }} = 'double' then {{ _is_out_of_range(text, 'try_cast(' ~ text ~ ' as double)') }}
        when {{ type }} = 'date' then {{ _is_cut_off(text, 'date') }}
        when {{ type }} = 'timestamp_ntz' then {{ _is_cut_off(text, 'timestamp_ntz') }}
        when {{ type }} = 'timestamp' then {{ _is_cut_off(text, 'timestamp') }}
        when {{ type }} like 'array<%' then trim({{ text }}) not like '[%]'
        when {{ type }} like 'map<%' or {{ type }} like 'struct<%' then not startswith(trim({{ text }}), '{{ '{' }}')
        else false
    end
{%- endmacro %}
