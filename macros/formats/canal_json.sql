{#- Canal flat JSON (alibaba/canal, flatMessage). One message carries N row images in `data`; an update
    also carries `old`, the prior values of the changed columns, paired with `data` by position.
    Surprise: `id`, `es` and `ts` order nothing; only the offset does. Rules: docs/formats/canal_json.md -#}

{% macro parse_canal_json(messages) -%}
    {{ _canal_changes(
        sent=_canal_messages(messages, _canal_fields()),
        format='canal_json',
        message_operation=_canal_operation(),
        reason=_canal_reason(),
        sent_rows=_canal_sent_rows(),
        is_after_complete="new_image is not null and (word <> 'UPDATE' or old is not null)"
    ) }}
{%- endmacro %}
