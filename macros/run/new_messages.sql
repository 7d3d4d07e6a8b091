{#- The bronze records of a format that its silver table has not read, each with its feed's options.
    The first build and a full refresh read the whole table; a later run reads Delta's change feed,
    whose commit versions are total: loads commit in any order. -#}
{% macro new_messages(format) -%}
    {%- set run = cdc.lakehouse_run() -%}
    {%- set mark = cdc.mark_of_model() -%}
    select
        messages.*{{ ' except (_change_type, _commit_version, _commit_timestamp)' if mark }},
        {%- if mark %}
        messages._commit_version as bronze_version,
        {%- else %}
        cast({{ run.get('bronze_version', 'null') }} as bigint) as bronze_version,
        {%- endif %}
        feeds.feed_key_columns,
        feeds.feed_settings
    {%- if mark %}
    from {{ cdc.new_in_bronze(mark.version + 1, run.bronze_version) }} as messages
    {%- else %}
    from {{ source('bronze', 'messages') }}
    {%- if run %} version as of {{ run.bronze_version }}{% endif %} as messages
    {%- endif %}
        inner join {{ cdc.feed_options(format) }}
            on messages.feed = feeds.feed
{%- endmacro %}


{#- What came into bronze with these of its versions, as a relation; what was trimmed from it does not count. -#}
{% macro new_in_bronze(first, last) -%}
    (
        select *
        from table_changes('{{ source('bronze', 'messages') }}', {{ first }}, {{ last }})
        where _change_type = 'insert'
    )
{%- endmacro %}
