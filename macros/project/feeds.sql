{#- What dbt_project.yml says of the feeds, as the models see it. -#}

{#- The feeds by name, with their settings. Where another project installs this one, those that it has set: not the
    shop, whose files lie in the folder of this project. -#}
{% macro feeds() -%}
    {%- set feeds = var('feeds', none) or {} -%}
    {{ return({} if project_name != 'cdc' and 'shop_mariadb' in feeds else feeds) }}
{%- endmacro %}


{% macro feed_settings(name) -%}
    {#- gold asks several times for each of many tables, and each var() costs as much as all else here -#}
    {%- set feeds = cdc.feeds() -%}
    {%- if name not in feeds -%}
        {{ exceptions.raise_compiler_error(
            "There is no feed '" ~ name ~ "' in vars.feeds of dbt_project.yml. Configured feeds: "
            ~ (feeds | list | sort | join(', ')) ~ "."
        ) }}
    {%- endif -%}
    {{ return(feeds[name]) }}
{%- endmacro %}


{#- The feeds that set it so: feeds_with('format', 'canal_json'). -#}
{% macro feeds_with(setting, value) -%}
    {%- set names = [] -%}
    {%- for name, settings in cdc.feeds().items() if settings[setting] == value -%}
        {%- do names.append(name) -%}
    {%- endfor -%}
    {{ return(names | sort) }}
{%- endmacro %}


{#- The feeds that name keys themselves. -#}
{% macro feeds_with_keys() -%}
    {%- set names = [] -%}
    {%- for name, settings in cdc.feeds().items() if settings.key_columns -%}
        {%- do names.append(name) -%}
    {%- endfor -%}
    {{ return(names | sort) }}
{%- endmacro %}


{#- The feeds whose messages mark every row of a full load, and whose full loads never go on beside the stream: Debezium's. -#}
{% macro feeds_of_marked_loads() -%}
    {{ return(cdc.feeds_with('format', 'debezium_json') + cdc.feeds_with('format', 'debezium_avro')) }}
{%- endmacro %}


{#- The feeds whose positions go up in each partition, but for repetitions. Not: Datastream, which promises no order;
    SharePlex, and outputs of OMS that do not name the store, of which a partition may have several. -#}
{% macro feeds_of_rising_positions() -%}
    {%- set mixed = ['google_datastream', 'oms_debezium', 'oms_debezium_flatten', 'oms_shareplex', 'shareplex_quest'] -%}
    {%- set names = [] -%}
    {%- for name, settings in cdc.feeds().items() if settings.format not in mixed -%}
        {%- do names.append(name) -%}
    {%- endfor -%}
    {{ return(names) }}
{%- endmacro %}


{#- The feeds of whose tables some rows may have a position and others only their offset: no message shows which a table has. -#}
{% macro feeds_of_both_orders() -%}
    {%- set formats = ['aws_dms', 'canal_json_ticdc', 'google_datastream', 'maxwell', 'ogg_json'] -%}
    {%- set names = [] -%}
    {%- for name, settings in cdc.feeds().items() if settings.format in formats -%}
        {%- do names.append(name) -%}
    {%- endfor -%}
    {{ return(names) }}
{%- endmacro %}


{#- The formats of all feeds. Without a feed, the models of silver are disabled, and prepare_run says so. -#}
{% macro formats_in_use() -%}
    {{ return(cdc.feeds().values() | map(attribute='format') | unique | sort) }}
{%- endmacro %}


{#- Settings that change nothing of what landed records mean: they may change at any time, and no format sees them. -#}
{% macro settings_without_meaning() -%}
    {{ return([
        'topics', 'topic_pattern', 'files', 'lines', 'starting_offsets', 'max_offsets_per_trigger', 'kafka', 'group', 'source',
        'tables', 'leave_out'
    ]) }}
{%- endmacro %}


{#- The feeds of a format as rows: the name, the keys that it declares, and its other settings for what a message
    means, where no message carries it. -#}
{% macro feed_options(format) -%}
    values
    {%- for name in cdc.feeds_with('format', format) %}
    {%- set settings = cdc.feed_settings(name) %}
    {%- set unseen = cdc.settings_without_meaning() + ['format'] %}
    {%- set texts = [] %}
    {%- for setting, value in settings.items() if setting not in unseen and (value is string or value is number) -%}
        {%- do texts.append(cdc.quoted(setting) ~ ', ' ~ cdc.quoted(value)) -%}
    {%- endfor %}
    {%- set in_base64 = [] %}
    {%- for table, columns in (settings.get('encodings') or {}).items() -%}
        {%- for column, encoding in columns.items() if encoding.split('(')[0] | trim in cdc.encodings_in_base64() -%}
            {%- do in_base64.append([cdc._pattern_of_tables(table), column]) -%}
        {%- endfor -%}
    {%- endfor %}
    {%- if in_base64 -%}
        {%- do texts.append("'columns_in_base64', " ~ cdc.quoted(tojson(in_base64))) -%}
    {%- endif %}
    {%- set keys = [] %}
    {%- for table, columns in (settings.get('key_columns') or {}).items() -%}
        {%- do keys.append(cdc.quoted(table) ~ ', array(' ~ cdc.quoted_list([columns] if columns is string else columns) ~ ')') -%}
    {%- endfor %}
    (
        {{ cdc.quoted(name) }},
        cast(map({{ keys | join(', ') }}) as map<string, array<string>>),
        cast(map({{ texts | join(', ') }}) as map<string, string>)
    )
    {{- ',' if not loop.last }}
    {%- endfor %}
    as feeds (feed, feed_key_columns, feed_settings)
{%- endmacro %}


{#- A table's name in a setting as a regular expression: it may be the pattern of a gold table's shards. -#}
{% macro _pattern_of_tables(name) -%}
    {{ return(name if modules.re.search(cdc.signs_of_patterns(), name) else '\\Q' ~ name ~ '\\E') }}
{%- endmacro %}


{#- A regular expression of what only names with patterns have. -#}
{% macro signs_of_patterns() -%}
    {{ return('[\\[(|*+?{\\\\]') }}
{%- endmacro %}


{#- The encodings that are base64: a bare number is none of their texts, but may look like one. -#}
{% macro encodings_in_base64() -%}
    {{ return(['connect_decimal', 'base64_binary', 'base64_text', 'little_endian_bits', 'big_endian_bits']) }}
{%- endmacro %}
