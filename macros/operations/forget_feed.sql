{#- Removes from silver the rows of a feed that dbt_project.yml no longer has: other feeds of its format go on, and the tables made of all
    silver are made again by the next run. Its records stay in bronze, and its gold tables as they are: drop_gold_table removes those.
    Refused where bronze no longer holds what the rows were made from. If the feed comes back, a run asks for `reparse`, which
    takes its old records, too.

    dbt run-operation forget_feed --args '{feed: crm}' -#}
{% macro forget_feed(feed) -%}
    {%- if feed in cdc.feeds() -%}
        {{ exceptions.raise_compiler_error('forget_feed: feed ' ~ feed ~ ' is still in dbt_project.yml: remove it there first.') }}
    {%- endif -%}
    {%- set removed = [] -%}
    {%- for name in cdc.tables_of_formats() -%}
        {%- set silver = cdc.silver_relation(name) -%}
        {%- if cdc.remove_rows_of(silver, feed) -%}
            {%- do removed.append(silver | string) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- if not removed -%}
        {%- do cdc.refuse_unknown_feed(feed) -%}
    {%- endif -%}
    {%- do cdc.forget_marks(cdc.made_of_silver() + ['#forgotten ' ~ feed]) -%}
    {%- do cdc.write_forgotten(feed) -%}
    {%- do log(feed ~ ': rows removed from ' ~ (removed | join(', ') or 'no table'), info=true) -%}
{%- endmacro %}


{#- A slip in a name would be noted, and a feed that is called so one day refused. -#}
{% macro refuse_unknown_feed(feed) -%}
    {%- set known = [] -%}
    {%- if load_relation(source('bronze', 'feeds')) is not none -%}
        {%- do known.extend(run_query('select distinct feed from ' ~ source('bronze', 'feeds') ~ ' order by feed').columns[0].values()) -%}
    {%- endif -%}
    {%- if feed not in known -%}
        {{ exceptions.raise_compiler_error(
            'forget_feed: neither bronze nor silver has a feed ' ~ feed ~ ': the feeds of bronze are ' ~ (known | join(', ') or 'none') ~ '.'
        ) }}
    {%- endif -%}
{%- endmacro %}
