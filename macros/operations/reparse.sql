{#- Parses a feed again, or only its unknown messages, after its format's macro was mended: in one commit its
    rows are replaced by what the macro makes of them now. The gold tables of the feed are rebuilt by the next run.

    dbt run-operation reparse --args '{feed: shop_mariadb, unknown_only: true}' -#}
{% macro reparse(feed, unknown_only=false) -%}
    {%- if unknown_only is not boolean -%}
        {{ exceptions.raise_compiler_error('reparse: unknown_only is ' ~ unknown_only ~ ': it is true or false (without quotes).') }}
    {%- endif -%}
    {%- set format = cdc.feed_settings(feed).format -%}
    {%- set silver = cdc.silver_relation(format ~ '_changes') -%}
    {#- a run that was killed may have left silver further than its mark says -#}
    {%- set marks = run_query(
        'select greatest(bronze_version, (select max(bronze_version) from ' ~ silver ~ ')) from ' ~ cdc.applied_versions()
        ~ " where model = '" ~ format ~ "_changes'"
    ).columns[0].values() if load_relation(silver) else [] -%}
    {%- if not marks -%}
        {{ exceptions.raise_compiler_error('Silver of ' ~ format ~ ' was never built: run dbt build first.') }}
    {%- endif -%}
    {%- set rows = 'feed = ' ~ cdc.quoted(feed) ~ (" and operation = 'unknown'" if unknown_only) -%}
    {%- do cdc.refuse_lost_records(silver, rows) -%}
    {%- set columns = adapter.get_columns_in_relation(silver) | map(attribute='quoted') | join(', ') -%}
    {#- first: a gold table whose mark outlived the rows that it was made from would never meet the new ones -#}
    {%- set stale = cdc.made_of_silver() + ['#tests', '#thorough'] -%}
    {%- if not unknown_only -%}
        {%- do stale.append('#forgotten ' ~ feed) -%}
    {%- endif -%}
    {%- for node in cdc.gold_models() + cdc.histories() if node.config.meta.feed == feed -%}
        {%- do stale.append(node.name) -%}
    {%- endfor -%}
    {#- models that are disabled, or whose files are away, may be of this feed, too -#}
    {%- set present = graph.nodes.values() | map(attribute='name') | list -%}
    {%- for name in cdc.applied_marks()
        if not name.startswith('#') and name not in present and 'parse_' ~ name.removesuffix('_changes') not in cdc
    -%}
        {%- do stale.append(name) -%}
    {%- endfor -%}
    {%- do cdc.forget_marks(stale) -%}

    {%- do run_query('set spark.databricks.delta.replaceWhere.constraintCheck.enabled = false') -%}
    {%- do run_query(cdc.replace_parsed_rows(rows, feed, format, silver, columns, marks[0], unknown_only)) -%}
    {%- do run_query('reset spark.databricks.delta.replaceWhere.constraintCheck.enabled') -%}
{%- endmacro %}


{% macro replace_parsed_rows(rows, feed, format, silver, columns, version, unknown_only) -%}
insert into {{ silver }}
replace where {{ rows }}
with messages as (

    select
        messages.*,
        cast({{ version }} as bigint) as bronze_version,
        feeds.feed_key_columns,
        feeds.feed_settings
    from {{ source('bronze', 'messages') }} version as of {{ version }} as messages
        inner join {{ cdc.feed_options(format) }}
            on messages.feed = feeds.feed
    where messages.feed = {{ cdc.quoted(feed) }}

),

changes as (

    {{ cdc['parse_' ~ format]('messages') }}

)

select {{ columns }}
from changes
{%- if unknown_only %}
    left semi join {{ silver }} as unknown_rows
        on
            unknown_rows.operation = 'unknown'
            and changes.feed = unknown_rows.feed
            and changes.topic = unknown_rows.topic
            and changes.topic_generation = unknown_rows.topic_generation
            and changes.partition = unknown_rows.partition
            and changes.offset = unknown_rows.offset
    left anti join {{ silver }} as good_rows
        on
            good_rows.operation <> 'unknown'
            and changes.feed = good_rows.feed
            and changes.topic = good_rows.topic
            and changes.topic_generation = good_rows.topic_generation
            and changes.partition = good_rows.partition
            and changes.offset = good_rows.offset
            and changes.row_index = good_rows.row_index
{%- endif %}
{%- endmacro %}
