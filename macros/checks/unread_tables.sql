{#- What the test tables_and_models_match asks beside names; `relation` is one with the columns of silver.source_tables. -#}

{#- Does the table's feed list it under leave_out? By its name in the messages, database.schema.table without the parts that
    they lack; * matches anything. -#}
{% macro is_left_out(relation) -%}
    {%- set feeds = [] -%}
    {%- for feed, settings in cdc.feeds().items() if settings.leave_out -%}
        {%- set names = [] -%}
        {%- for name in ([settings.leave_out] if settings.leave_out is string else settings.leave_out) -%}
            {%- do names.append(modules.re.escape(name | string).replace('\\*', '.*')) -%}
        {%- endfor -%}
        {%- do feeds.append((feed, names | join('|'))) -%}
    {%- endfor -%}
    (
            {%- for feed, pattern in feeds %}
            {{ relation }}.feed = {{ cdc.quoted(feed) }}
            and concat_ws('.', {{ relation }}.database_name, {{ relation }}.schema_name, {{ relation }}.table_name)
            rlike {{ cdc.quoted('^(?s:' ~ pattern ~ ')$') }}
            {{- ' or' if not loop.last }}
            {%- else %}
            false
            {%- endfor %}
        )
{%- endmacro %}


{#- Is the table new in this run, and of a feed whose new tables get their models by themselves? `run` writes these once silver is
    built, and the next tests report what it could not write. -#}
{% macro may_get_a_model(relation) -%}
    {%- set feeds = cdc.feeds_with('tables', 'auto') if cdc.lakehouse_run() else [] -%}
    {%- if feeds -%}
    (
            {{ relation }}.feed in ({{ cdc.quoted_list(feeds) }})
            and {{ relation }}.bronze_version > {{ cdc.lakehouse_run().applied_before.get('cdc_source_tables', {}).get('version', -1) }}
        )
    {%- else -%}
    false
    {%- endif -%}
{%- endmacro %}


{#- A word of a command line: text from a message that may be more than one is quoted as a shell wants it. -#}
{% macro shell_word(text) -%}
    if({{ text }} rlike '^[A-Za-z0-9_.]+$', {{ text }}, concat("'", replace({{ text }}, "'", "'\\''"), "'"))
{%- endmacro %}


{#- The name that a model of gold_tables declares; of one of many shards, with its patterns. -#}
{% macro declared_name() -%}
    concat_ws('.'{% for part in ['catalog'] + cdc.place_parts() %}, {{ cdc.declared_part(part) }}{% endfor %})
{%- endmacro %}


{#- The table's name, to compare it with declared_name(): without the parts that the model does not declare. -#}
{% macro name_as_declared(relation) -%}
    concat_ws(
            '.'
            {%- for part in ['catalog'] + cdc.place_parts() %},
            if({{ cdc.declared_part(part) }} is null, null, {{ relation }}.{{ part }}_name)
            {%- endfor %}
        )
{%- endmacro %}


{% macro declared_part(part) -%}
    {%- set name = 'gold_tables.' ~ part ~ '_name' -%}
    {{ 'coalesce(' ~ name ~ ', gold_tables.' ~ part ~ '_pattern)' if cdc.has_patterns() and part in cdc.place_parts() else name }}
{%- endmacro %}
