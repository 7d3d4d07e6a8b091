{#- An append-only table that takes each bronze version once. The guard on bronze_version makes a repeated
    run add nothing, and Delta's transaction mark refuses a second runner that works at the same moment. -#}
{% materialization change_log, adapter='spark' %}
    {%- set mark = cdc.mark_of_model() -%}
    {%- set version = cdc.readable_version() -%}

    {%- if not mark -%}
        {%- call statement('main') -%}
            {{ create_table_as(False, this, compiled_code) }}
        {%- endcall -%}
        {%- do persist_docs(this, model) -%}
        {%- do cdc.forget_remembered() -%}
        {%- do cdc.mark_applied(version, invocation_id) -%}
    {%- elif not cdc.has_news(mark) or not cdc.may_have_rows(compiled_code, mark) -%}
        {%- do cdc.nothing_new() -%}
        {%- do cdc.mark_applied(version, mark.built_by) -%}
    {%- else -%}
        {%- set columns = adapter.get_columns_in_relation(this) | map(attribute='quoted') | join(', ') -%}
        {#- a table that was built anew, from another bronze perhaps, takes that one's versions from the start -#}
        {%- set application = cdc.quoted(this ~ '@' ~ mark.built_by) -%}
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
        {%- do cdc.forget_remembered() -%}
        {%- do cdc.mark_applied(version, mark.built_by) -%}
        {%- if model.name.endswith('_changes') -%}
            {#- here, for all that is made from them: models that run at the same time would ask each for itself -#}
            {%- do cdc.news_of_silver(model.name) -%}
        {%- endif -%}
    {%- endif -%}

    {{ return({'relations': [this]}) }}
{% endmaterialization %}


{#- Did a feed of a format (of any format, for a model of all) receive records after a mark? -#}
{% macro has_news(mark, silver=none) -%}
    {%- set news = [] -%}
    {%- set own = cdc.feeds_with('format', (silver or model.name).removesuffix('_changes')) -%}
    {%- for name in own or var('feeds') -%}
        {%- if cdc.lakehouse_run().feed_news.get(name, -1) > mark.version -%}
            {%- do news.append(name) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(news | length > 0) }}
{%- endmacro %}


{#- Asked where many runs find nothing, since an insert of no rows would be a commit all the same: is there a schema that
    the model does not have, or a change whose order its position tells? -#}
{% macro may_have_rows(select, mark) -%}
    {%- set reads_only = model.config.meta.reads_only -%}
    {%- if not reads_only -%}
        {{ return(true) }}
    {%- endif -%}
    {%- for format in cdc.formats_in_use() if cdc.has_news(mark, format) -%}
        {%- for news in cdc.news_of_silver(format ~ '_changes').rows -%}
            {%- if reads_only == 'positions' and news.positioned_version > mark.version -%}
                {{ return(true) }}
            {%- endif -%}
            {%- if reads_only == 'new schemas' and cdc.has_unknown_schemas(format, news.schema_ids) -%}
                {#- one may describe no column -#}
                {{ return(run_query('select 1 from (' ~ select ~ ') limit 1') | length > 0) }}
            {%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(false) }}
{%- endmacro %}
