{#- What dbt_project.yml says of the feeds, as the models see it. -#}

{% macro feed_settings(name) -%}
    {%- if name not in var('feeds') -%}
        {{ exceptions.raise_compiler_error(
            "There is no feed '" ~ name ~ "' in vars.feeds of dbt_project.yml. Configured feeds: "
            ~ (var('feeds') | list | sort | join(', ')) ~ "."
        ) }}
    {%- endif -%}
    {{ return(var('feeds')[name]) }}
{%- endmacro %}


{% macro feeds_of(format) -%}
    {%- set names = [] -%}
    {%- for name, settings in var('feeds').items() if settings.format == format -%}
        {%- do names.append(name) -%}
    {%- endfor -%}
    {{ return(names | sort) }}
{%- endmacro %}


{% macro formats_in_use() -%}
    {%- if not var('feeds') -%}
        {{ exceptions.raise_compiler_error('No feed is configured: add one under vars.feeds of dbt_project.yml (docs/feeds.md).') }}
    {%- endif -%}
    {{ return(var('feeds').values() | map(attribute='format') | unique | sort) }}
{%- endmacro %}


{#- A SQL string literal; text from a configuration or a message is data, never SQL. -#}
{% macro quoted(text) -%}
    '{{ (text | string).replace('\\', '\\\\').replace("'", "\\'") }}'
{%- endmacro %}


{#- The feeds of a format as rows: the name, and the options that no message can tell. -#}
{% macro feed_options(format) -%}
    values
    {%- for name in feeds_of(format) %}
    {%- set keys = (feed_settings(name).get('key_columns') or {}) %}
    ({{ quoted(name) }}, cast(map(
        {%- for table, columns in keys.items() -%}
            {{ quoted(table) }}, array({% for column in columns %}{{ quoted(column) }}{{ ', ' if not loop.last }}{% endfor %})
            {{- ', ' if not loop.last }}
        {%- endfor -%}
    ) as map<string, array<string>>), {{ quoted(feed_settings(name).get('before_images', 'as_sent')) }})
    {{- ',' if not loop.last }}
    {%- endfor %}
    as feeds (feed, feed_key_columns, feed_before_images)
{%- endmacro %}
