{#- Values that gold shows as NULL or inexactly since they do not fit the declared type, with their place. -#}
{% test every_value_fits_its_type(model) -%}
    {#- with a `where` the model is a text -#}
    {{ cdc.misfits_of({model.identifier | default(model | string): model}) }}
{%- endtest %}
