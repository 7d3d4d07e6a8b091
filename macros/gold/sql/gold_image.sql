{#- An image of silver as gold reads it. -#}

{#- An image with the model's spelling of names, and with the names of its shard as columns in it. `columns` are the model's. -#}
{% macro gold_image(relation, image, columns) -%}
    {%- set image = cdc.image_as_declared(relation, image, columns) -%}
    {%- if cdc.shard_parts() -%}
    {%- set names -%}
        map(
        {%- for part in cdc.shard_parts() -%}
        '@{{ part }}', {{ relation }}.{{ part }}_name{{ ', ' if not loop.last }}
        {%- endfor -%}
        )
    {%- endset -%}
    {{ cdc.overlaid(image, names) }}
    {%- else -%}
    {{ image }}
    {%- endif -%}
{%- endmacro %}


{#- An image of a row of `relation`, with the model's names where it lacks one of them. `columns` are the model's. -#}
{% macro image_as_declared(relation, image, columns) -%}
    {%- set declared = cdc.names_in_messages(columns) -%}
    if(
                {{ cdc.ignores_case(relation) }}
                and size(array_except({{ declared }}, map_keys({{ image }}))) > 0
                and {{ cdc.differ_in_more_than_case('map_keys(' ~ image ~ ')') }},
                transform_keys({{ image }}, (name, text) -> {{ cdc.declared_spelling('name', declared) }}),
                {{ image }}
            )
{%- endmacro %}


{#- The names of a model's columns in the messages, as an array; a model that declares two spellings of a name means these. -#}
{% macro names_in_messages(columns) -%}
    {%- set names = cdc.sources_of(cdc.column_sources(columns)) | reject('in', cdc.shard_columns()) | list -%}
    {%- set in_small_letters = names | map('lower') | list -%}
    {%- set differing = [] -%}
    {%- for name in names if in_small_letters.count(name | lower) == 1 -%}
        {%- do differing.append(name) -%}
    {%- endfor -%}
    cast(array({{ cdc.quoted_list(differing) }}) as array<string>)
{%- endmacro %}
