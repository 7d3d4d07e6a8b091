{#- Full loads that began again without a mark of it: the feed's `cut_overs` declare when. What came before such a time is
    superseded unless it is sent again, whatever positions say: a cut-over counts more than all epochs that the stream's own
    marks can begin. -#}

{#- The times of the model's table, as texts; none while dbt parses. -#}
{% macro cut_overs(declaration=none) -%}
    {%- set meta = declaration or model.config.meta -%}
    {%- if not execute -%}
        {{ return([]) }}
    {%- endif -%}
    {%- set times = (cdc.feed_settings(meta.feed).get('cut_overs') or {}).get(cdc.place_of(meta), []) -%}
    {{ return([times] if times is string else times) }}
{%- endmacro %}


{% macro epochs_of_a_cut_over() -%}
    {{ return(100000) }}
{%- endmacro %}


{#- More than the full loads and position spaces between two times that the positions of one partition begin again lower. -#}
{% macro epochs_of_a_rewind() -%}
    {{ return(1000) }}
{%- endmacro %}


{#- What the cut-overs add to the epoch of a change. -#}
{% macro epochs_by_cut_overs(relation, declaration=none) -%}
    {%- for time in cdc.cut_overs(declaration) %}
                + if({{ relation }}.message_timestamp >= cast({{ cdc.quoted(time) }} as timestamp), {{ cdc.epochs_of_a_cut_over() }}, 0)
    {%- endfor -%}
{%- endmacro %}


{#- Does its table's cut-over count from this change on? Only from one of a row, or a TRUNCATE. -#}
{% macro reaches_cut_over(relation, time) -%}
    {{ relation }}.operation in ('insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before', 'truncate')
            and {{ relation }}.message_timestamp >= cast({{ cdc.quoted(time) }} as timestamp)
{%- endmacro %}


{#- How many of its table's cut-overs a change, or an order mark of silver.order_marks, comes after. -#}
{% macro cut_overs_passed(relation) -%}
    cast(
            0
            {%- for feed, pattern, time in cdc.declared_cut_overs() %}
            + if(
                {{ relation }}.feed = {{ cdc.quoted(feed) }}
                and {{ cdc.has_place(relation, cdc.quoted(pattern)) }}
                and {{ relation }}.message_timestamp >= cast({{ cdc.quoted(time) }} as timestamp),
                1,
                0
            )
            {%- endfor %}
            as int
        )
{%- endmacro %}


{#- Does a pattern match the table, written as in gold models: orders, public.orders, shop.orders or shop.public.orders? -#}
{% macro has_place(relation, pattern) -%}
    exists(
                    array(
                        {{ relation }}.table_name,
                        concat_ws('.', {{ relation }}.schema_name, {{ relation }}.table_name),
                        concat_ws('.', {{ relation }}.database_name, {{ relation }}.table_name),
                        concat_ws('.', {{ relation }}.database_name, {{ relation }}.schema_name, {{ relation }}.table_name)
                    ),
                    place -> place rlike {{ pattern }}
                )
{%- endmacro %}


{#- The feeds' cut-overs, each as feed, pattern of the table as gold models name it, time. -#}
{% macro declared_cut_overs() -%}
    {%- set declared = [] -%}
    {%- for feed, settings in cdc.feeds().items() -%}
        {%- for place, times in (settings.cut_overs or {}).items() -%}
            {%- set pattern = cdc.pattern_of_place(feed, place) -%}
            {%- for time in ([times] if times is string else times) -%}
                {%- do declared.append((feed, '^' ~ pattern ~ '$', time)) -%}
            {%- endfor -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(declared) }}
{%- endmacro %}


{#- What a feed's settings call a table, as a regular expression for its full name: the name itself, or where a gold model of
    many shards is called so, its patterns. -#}
{% macro pattern_of_place(feed, place) -%}
    {%- for node in (graph.nodes.values() if execute else []) -%}
        {%- set meta = node.config.meta -%}
        {%- if meta.feed == feed and cdc.place_of(meta) == place -%}
            {%- set patterns = [] -%}
            {%- for part in cdc.place_parts() if meta[part] -%}
                {%- do patterns.append('(' ~ meta[part].pattern ~ ')' if meta[part] is mapping else modules.re.escape(meta[part])) -%}
            {%- endfor -%}
            {{ return(patterns | join('[.]')) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(modules.re.escape(place)) }}
{%- endmacro %}
