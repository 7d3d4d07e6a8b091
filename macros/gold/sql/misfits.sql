{#- The values that do not fit their type, each with its text and the place of the message that brought it: that of the row's
    newest change, or with `has_places` the value's own. -#}
{% macro misfits(sources, has_places=false) -%}
    {%- set typed_columns = {} -%}
    {#- of a string only a text that its encoding could not read is a misfit -#}
    {%- set decoded = cdc.decoded_columns(model.config.meta.feed, sources) -%}
    {%- for name, column in sources.items() if column.type | lower | trim != 'string' or name in decoded -%}
        {%- do typed_columns.update({name: column}) -%}
    {%- endfor -%}
    {%- if not typed_columns -%}
    cast(array() as array<struct<column_name: string, value: string, wanted_type: string, topic: string, partition: int>>)
    {%- else -%}
    transform(
                    filter(
                        array(
                            {%- for name, column in typed_columns.items() %}
                            {%- set wanted_type = cdc.quoted(column.type | lower | trim) %}
                            {#- of an exact type only NULL can be a misfit: the other rows are spared the look into the image -#}
                            {%- set is_exact = wanted_type in cdc.exact_types() or wanted_type == "'string'" %}
                            {{ 'if(' ~ cdc.identifier(name) ~ ' is null, ' if is_exact }}struct(
                                {{ cdc.quoted(name) }} as column_name,
                                _image[{{ cdc.quoted(column.get('source', name)) }}] as value,
                                {{ wanted_type }} as wanted_type,
                                {%- if has_places %}
                                _places[{{ cdc.quoted(column.get('source', name)) }}].topic as topic,
                                _places[{{ cdc.quoted(column.get('source', name)) }}].partition as partition,
                                {%- endif %}
                                {{ cdc.identifier(name) }} is null as is_null
                            ){{ ', null)' if is_exact }}{{ ',' if not loop.last }}
                            {%- endfor %}
                        ),
                        typed -> {{ cdc.does_not_fit('typed.value', 'typed.is_null', 'typed.wanted_type') }}
                    ),
                    misfit -> struct(
                        misfit.column_name,
                        ltrim({{ cdc.unreadable_mark() }}, misfit.value) as value,
                        misfit.wanted_type,
                        {{ 'misfit.topic' if has_places else '_topic as topic' }},
                        {{ 'misfit.partition' if has_places else '_partition as partition' }}
                    )
                )
    {%- endif -%}
{%- endmacro %}
