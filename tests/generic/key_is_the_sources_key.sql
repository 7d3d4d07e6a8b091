{#- The key that the gold model declares is the one by which silver tells rows apart. -#}
{% test key_is_the_sources_key(model) -%}
    {{ config(severity='error') }}
    {%- set sources = [] %}
    {%- if execute %}
        {%- set declaration = gold_declaration(model) %}
        {%- for column in declaration.key %}
            {%- set type = declaration.columns[column] %}
            {%- do sources.append(type.source if type is mapping and type.source else column) %}
        {%- endfor %}
    {%- endif %}

    {%- if not has_unchecked_changes() %}
    select 'nothing new since the last check' as finding where false
    {%- else %}
    with unchecked as (

        {{ unchecked_changes(model) if execute else 'select 1' }}

    )

    select
        key_columns,
        array({{ quoted_list(sources) }}) as declared_key,
        count(*) as change_count,
        min(struct(topic, partition, offset)) as first_place
    from unchecked
    where not array_sort(key_columns) <=> array_sort(array({{ quoted_list(sources) }}))
    group by key_columns
    {%- endif %}
{%- endtest %}
