{#- Values that gold shows as NULL or inexactly since they do not fit the declared type, with their coordinates. -#}
{% test every_value_fits_its_type(model) -%}
    {{ config(meta={'cdc': {'findings': true}}) }}
    select
        misfits.*,
        concat(column_name, ' does not fit ', wanted_type, ': ', coalesce(left(value, 200), 'NULL')) as finding
    from (
        {#- with a `where` the model is a text #}
        {{ cdc.misfits_of({model.identifier | default(model | string): model}) }}
    ) as misfits
{%- endtest %}
