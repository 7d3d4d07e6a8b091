{#- Canal flat JSON (alibaba/canal, flatMessage). One message carries N row images in `data`; an update
    also carries `old`, the prior values of the changed columns, paired with `data` by index.
    Surprise: `id`, `es` and `ts` order nothing; only the offset does. With binlog_row_image=MINIMAL an update has only what
    it changed, mostly without its key. Rules: docs/formats/canal_json.md -#}

{% macro parse_canal_json(messages) -%}
    {{ cdc._canal_changes(
        sent=cdc._canal_messages(messages, cdc._canal_fields()),
        format='canal_json',
        message_operation=cdc._canal_operation(),
        reason=cdc._canal_reason(),
        sent_rows=cdc._canal_sent_rows(),
        is_partial="word = 'UPDATE' and " ~ cdc.may_lack_columns('values_before'),
        is_before_complete="old_image is not null
            and (word = 'UPDATE' or " ~ cdc.has_more_than_key('old_image') ~ ")"
    ) }}
{%- endmacro %}
