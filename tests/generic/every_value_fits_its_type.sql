{#- Values that gold shows as NULL or inexactly since they do not fit the declared type, with their place. -#}
{% test every_value_fits_its_type(model) -%}
    select
        _change.row_key,
        misfit.column_name,
        misfit.value,
        misfit.wanted_type,
        _change.topic,
        _change.partition,
        -- a value that is older than its row has its own change
        coalesce(_change.column_sequences[misfit.column_name], _change.sequence).offset as offset
    from {{ model }}
        lateral view explode(_change.misfits) as misfit
{%- endtest %}
