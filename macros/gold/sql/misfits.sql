{#- The values that do not fit their type, each with its text and the topic and partition of the message that carried it: that of
    the row's newest change, or with `has_places` the value's own. `decoded` lists the columns whose texts are in `_decoded`. Nearly
    all rows have none: a cheap condition on the columns, which is true for every misfit, spares them the search. -#}
{% macro misfits(sources, decoded, has_places=false) -%}
    {%- set typed_columns = {} -%}
    {%- set types = [] -%}
    {#- of a string only a text that its encoding could not read is a misfit -#}
    {%- set encoded = cdc.decoded_columns(model.config.meta.feed, sources) -%}
    {%- for name, column in sources.items() if column.type | lower | trim != 'string' or column.get('source', name) in encoded -%}
        {%- do typed_columns.update({name: column}) -%}
        {%- do types.append(column.type | lower | trim) -%}
    {%- endfor -%}
    {%- set no_misfits = 'cast(array() as array<struct<column_name: string, value: string, wanted_type: string, topic: string, partition: int>>)' -%}
    {%- if not typed_columns -%}
    {{ no_misfits }}
    {%- else -%}
    case
                    when
                        {%- for name, column in typed_columns.items() %}
                        {{ 'or ' if not loop.first }}{{ cdc.may_not_fit(
                            cdc.text_of_column(column.get('source', name), decoded), cdc.identifier(name), column.type | lower | trim
                        ) }}
                        {%- endfor %}
                        then transform(
                            filter(
                                array(
                                    {%- for name, column in typed_columns.items() %}
                                    {%- set source = cdc.quoted(column.get('source', name)) %}
                                    struct(
                                        {{ cdc.quoted(name) }} as column_name,
                                        {{ cdc.text_of_column(column.get('source', name), decoded) }} as value,
                                        {{ cdc.quoted(column.type | lower | trim) }} as wanted_type,
                                        {%- if has_places %}
                                        _places[{{ source }}].topic as topic,
                                        _places[{{ source }}].partition as partition,
                                        {%- endif %}
                                        {{ cdc.identifier(name) }} is null as is_null
                                    ){{ ',' if not loop.last }}
                                    {%- endfor %}
                                ),
                                typed -> {{ cdc.does_not_fit('typed.value', 'typed.is_null', 'typed.wanted_type', types) }}
                            ),
                            misfit -> struct(
                                misfit.column_name,
                                ltrim({{ cdc.unreadable_mark() }}, misfit.value) as value,
                                misfit.wanted_type,
                                {{ 'misfit.topic' if has_places else '_topic as topic' }},
                                {{ 'misfit.partition' if has_places else '_partition as partition' }}
                            )
                        )
                    else {{ no_misfits }}
                end
    {%- endif -%}
{%- endmacro %}
