{#- Settings of a table that no gold model reads change nothing: warn of them, for the name may be a slip. -#}
{% macro warn_of_unread_settings() -%}
    {%- for feed, settings in cdc.feeds().items() if settings.encodings or settings.cut_overs -%}
        {%- set places = [] -%}
        {%- set read = [] -%}
        {%- for node in graph.nodes.values() if node.config.meta.feed == feed -%}
            {%- do places.append(cdc.place_of(node.config.meta)) -%}
            {%- for setting in ['encodings', 'cut_overs'] -%}
                {%- do read.extend(cdc.settings_of_table(setting, node.config.meta)) -%}
            {%- endfor -%}
        {%- endfor -%}
        {%- for setting in ['encodings', 'cut_overs'] -%}
            {%- for place in settings.get(setting) or {} if place not in read -%}
                {%- do exceptions.warn(
                    'Feed ' ~ feed ~ ': ' ~ setting ~ " names the table '" ~ place ~ "', which no gold model of the feed reads. They read: "
                    ~ (places | unique | sort | join(', ') or 'none') ~ '.'
                ) -%}
            {%- endfor -%}
        {%- endfor -%}
    {%- endfor -%}
{%- endmacro %}
