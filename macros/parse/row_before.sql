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


{#- The changes of all formats as their tables keep them, with their `format`: a query. A test that looks at few of them completes the
    row before where it has found these, with row_before_by_format; cdc_changes completes that of each change. -#}
{% macro changes_as_kept() -%}
    {%- for format in cdc.formats_in_use() %}
        select
            *,
            {{ cdc.quoted(format) }} as format
        from {{ ref(format ~ '_changes') }}
    {%- if not loop.last %}
        union all
    {%- endif %}
    {%- endfor -%}
{%- endmacro %}


{#- The row before a change of changes_as_kept, as row_before has it. -#}
{% macro row_before_by_format(relation) -%}
    {%- set formats = cdc.formats_in_use() -%}
    {%- if formats | length == 1 -%}
        {{ cdc.row_before(relation, formats[0]) }}
    {%- else -%}
        case {{ relation }}.format
            {%- for format in formats %}
            when {{ cdc.quoted(format) }}
                then {{ cdc.row_before(relation, format) }}
            {%- endfor %}
        end
    {%- endif -%}
{%- endmacro %}
