{#- Changes that gold cannot apply since no key is known for them: neither message nor Kafka key nor feed names one,
    or the row image lacks it. -#}
{% test changes_have_keys(model) -%}
    {%- if not has_unchecked_changes() %}
    select 'nothing new since the last check' as finding where false
    {%- else %}
    with unchecked as (

        {{ unchecked_changes(model) if execute else 'select 1' }}

    )

    select
        feed,
        topic,
        partition,
        offset,
        row_index,
        operation,
        key_columns
    from unchecked
    where row_key is null
    {%- endif %}
{%- endtest %}
