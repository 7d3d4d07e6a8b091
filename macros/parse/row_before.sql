{#- The row before a change of silver, as far as it is known: an expression over `relation`, rows of silver.<format>_changes. A format
    whose tables keep less of it has a macro <format>_row_before in its own file. -#}
{% macro row_before(relation, format) -%}
    {%- set of_format = cdc[format ~ '_row_before'] -%}
    {{ of_format(relation) if of_format else relation ~ '.before_image' }}
{%- endmacro %}


{#- The same for formats whose updates have only the changed columns of it: where `is_before_complete`, the other columns are
    those of `after_image`. -#}
{% macro row_before_by_changed_columns(relation) -%}
    case
        when {{ relation }}.operation = 'update' and {{ relation }}.is_before_complete
            then {{ cdc.overlaid(relation ~ '.after_image', relation ~ '.before_image') }}
        else {{ relation }}.before_image
    end
{%- endmacro %}
