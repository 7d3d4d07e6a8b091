{#- An append-only table that takes each bronze version once. The guard on bronze_version makes a repeated
    run add nothing, and Delta's transaction mark refuses a second runner that works at the same moment. -#}
{% materialization change_log, adapter='spark' %}
    {%- set mark = mark_of_model() -%}
    {%- set version = readable_version() -%}

    {%- if not mark -%}
        {%- call statement('main') -%}
            {{ create_table_as(False, this, compiled_code) }}
        {%- endcall -%}
        {%- do persist_docs(this, model) -%}
        {%- do mark_applied(version, invocation_id) -%}
    {%- elif not has_news(mark) or not may_have_rows(compiled_code, mark) -%}
        {%- do nothing_new() -%}
        {%- do mark_applied(version, mark.built_by) -%}
    {%- else -%}
        {%- set columns = adapter.get_columns_in_relation(this) | map(attribute='quoted') | join(', ') -%}
        {#- a table that was built anew, from another bronze perhaps, takes that one's versions from the start -#}
        {%- set application = quoted(this ~ '@' ~ mark.built_by) -%}
        {%- call statement('main') -%}
            insert into {{ this }} with ('txnAppId' = {{ application }}, 'txnVersion' = '{{ version }}') ({{ columns }})
            select {{ columns }}
            from (
            {{ compiled_code }}
            )
            where bronze_version > (
                select coalesce(max(bronze_version), -1)
                from {{ this }}
                where bronze_version > {{ mark.version }}
            )
        {%- endcall -%}
        {%- do mark_applied(version, mark.built_by) -%}
    {%- endif -%}

    {{ return({'relations': [this]}) }}
{% endmaterialization %}


{#- Did a feed of the model's format (of any format, for a model of all) receive records after the model's mark? -#}
{% macro has_news(mark) -%}
    {%- set news = [] -%}
    {%- set own = feeds_with('format', model.name.removesuffix('_changes')) -%}
    {%- for name in own or var('feeds') -%}
        {%- if lakehouse_run().feed_news.get(name, -1) > mark.version -%}
            {%- do news.append(name) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(news | length > 0) }}
{%- endmacro %}


{#- Asked where many runs find nothing, since an insert of no rows would be a commit all the same: of the whole select where it
    is mostly_empty, of new changes alone where it reads only some of them. -#}
{% macro may_have_rows(select, mark) -%}
    {%- set meta = model.config.meta -%}
    {%- if meta.mostly_empty -%}
        {{ return(run_query('select 1 from (' ~ select ~ ') limit 1') | length > 0) }}
    {%- endif -%}
    {%- if meta.reads_only -%}
        {%- set read = ref('changes') ~ ' where ' ~ meta.reads_only ~ ' and ' ~ is_newer_than(mark) -%}
        {{ return(run_query('select 1 from ' ~ read ~ ' limit 1') | length > 0) }}
    {%- endif -%}
    {{ return(true) }}
{%- endmacro %}
