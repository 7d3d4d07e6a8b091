{#- The row before a change of silver, as far as it is known: an expression over `relation`, rows of silver.<format>_changes.
    In these formats an update has only the changed columns of it, and their tables keep no more in `before_image`: where
    `is_before_complete`, the other columns are those of `after_image`. -#}
{% macro row_before(relation, format) -%}
    {%- if format in (
        'canal_json',
        'canal_json_ckafka',
        'canal_json_cloudcanal',
        'canal_json_dts',
        'canal_json_oms',
        'canal_json_ticdc',
        'flink_cdc_canal',
        'maxwell',
        'ticdc_maxwell'
    ) -%}
    case
        when {{ relation }}.operation = 'update' and {{ relation }}.is_before_complete
            then {{ cdc.overlaid(relation ~ '.after_image', relation ~ '.before_image') }}
        else {{ relation }}.before_image
    end
    {%- else -%}
    {{ relation }}.before_image
    {%- endif -%}
{%- endmacro %}
