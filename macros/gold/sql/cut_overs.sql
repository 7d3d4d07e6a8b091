{#- Full loads that began again without a mark of it: the feed's `cut_overs` declare when. What came before such a time is
    superseded unless it is sent again, whatever positions say: a cut-over counts more than all epochs that the stream's own
    marks can begin. -#}

{#- Those of the model's table in the order of their time, each as {time, instant, pattern}; none while dbt parses. `pattern` is none
    where a cut-over is of all rows of the model; of a model of many shards it may be of some, whose place then matches the pattern. -#}
{% macro cut_overs(declaration=none) -%}
    {%- set meta = declaration or model.config.meta -%}
    {%- set found = [] -%}
    {%- if execute -%}
        {%- set of_all = cdc.settings_of_table('cut_overs', meta) -%}
        {%- for place, times in (cdc.feed_settings(meta.feed).get('cut_overs') or {}).items()
            if place in of_all or cdc.shard_parts(meta) and cdc.may_mean_shard(place, meta)
        -%}
            {%- for time in ([times] if times is string else times) -%}
                {%- do found.append({
                    'time': time,
                    'instant': modules.datetime.datetime.fromisoformat(time | replace('Z', '+00:00')),
                    'pattern': none if place in of_all else '^' ~ cdc.pattern_of_place(meta.feed, place) ~ '$'
                }) -%}
            {%- endfor -%}
        {%- endfor -%}
    {%- endif -%}
    {{ return(found | sort(attribute='instant')) }}
{%- endmacro %}


{#- Where messages have no time, no change would come after a cut-over. The loader refuses as well. -#}
{% macro refuse_cut_overs_without_times() -%}
    {%- for feed, settings in cdc.feeds().items() if settings.lines == 'messages' and settings.cut_overs -%}
        {{ exceptions.raise_compiler_error(
            'Feed ' ~ feed ~ ': cut_overs compare the time that Kafka gave a record, which lines: messages do not have: remove cut_overs, or'
            ~ ' write the lines as records with a timestamp.'
        ) }}
    {%- endfor -%}
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
    {%- for cut_over in cdc.cut_overs(declaration) %}
                + if(
                    {{ relation }}.message_timestamp >= cast({{ cdc.quoted(cut_over.time) }} as timestamp)
                    {{- cdc.is_of_cut_over(relation, cut_over) }}, {{ cdc.epochs_of_a_cut_over() }}, 0
                )
    {%- endfor -%}
{%- endmacro %}


{#- A condition to append: is the row's table one of those that the cut-over is of? -#}
{% macro is_of_cut_over(relation, cut_over) -%}
    {%- if cut_over.pattern %}
                    and {{ cdc.has_place(relation, cdc.quoted(cut_over.pattern)) }}
    {%- endif -%}
{%- endmacro %}


{#- The epoch that a cut-over begins in the tables of a row of `relation`: how many of them there are up to it. -#}
{% macro epoch_of_cut_over(cut_over, relation, declaration=none) -%}
    {%- set of_all = [] -%}
    {%- set of_some = [] -%}
    {%- for one in cdc.cut_overs(declaration) if one.instant <= cut_over.instant -%}
        {%- do (of_some if one.pattern else of_all).append(one) -%}
    {%- endfor -%}
    {{ of_all | length * cdc.epochs_of_a_cut_over() }}
    {%- for one in of_some %}
                + if({{ cdc.has_place(relation, cdc.quoted(one.pattern)) }}, {{ cdc.epochs_of_a_cut_over() }}, 0)
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
