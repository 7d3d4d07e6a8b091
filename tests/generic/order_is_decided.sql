{#- Changes whose order the messages leave open: two different changes of one key at one source position, or a key
    in several partitions of a format that only offsets order. Gold then shows the one of the higher offset. -#}
{% test order_is_decided(model) -%}
    {%- if not has_unchecked_changes() %}
    select 'nothing new since the last check' as finding where false
    {%- else %}
    with unchecked as (

        {{ unchecked_changes(model) if execute else 'select 1' }}

    ),

    ties as (

        select
            row_key,
            'different changes at one position' as finding,
            min(struct(topic, partition, offset)) as first_place,
            max(struct(topic, partition, offset)) as last_place
        from unchecked
        where row_key is not null and size(change_sequence.position) > 0 and change_sequence.phase = 1
        group by row_key, position_space, change_sequence.position
        having count(distinct operation, to_json(after_image)) > 1

    ),

    wanderers as (

        select
            row_key,
            'the key stands in several partitions' as finding,
            min(struct(topic, partition, offset)) as first_place,
            max(struct(topic, partition, offset)) as last_place
        from unchecked
        where row_key is not null and order_scope = 'offset'
        group by row_key
        having count(distinct topic, partition) > 1

    )

    select * from ties
    union all
    select * from wanderers
    {%- endif %}
{%- endtest %}
