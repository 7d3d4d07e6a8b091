{#- gold.<table>_history as a table, for tools that read Delta files and for tables too wide for a view: rebuilt where the
    source's table has new changes. As a view it is a kept_view. -#}
{% materialization history_table, adapter='spark' %}
    {%- do cdc.complete_declaration(model) -%}
    {%- set version = cdc.version_for_gold(model.config.meta) -%}
    {%- do cdc.refuse_without_silver({'version': version}) -%}
    {%- set built_by = 'table ' ~ local_md5(cdc.build_of_silver(model.config.meta) ~ compiled_code ~ model.description)
        ~ cdc.place_of_build(model) -%}
    {%- set mark = cdc.mark_of_model() -%}

    {%- call cdc.with_hooks() -%}
        {%- if mark and mark.built_by == built_by and (mark.version >= version or not cdc.has_changes_since(mark.version)) -%}
            {%- do cdc.nothing_new() -%}
        {%- else -%}
            {%- do cdc.drop_other_type('table') -%}
            {%- call statement('main') -%}
                {{ cdc.create_gold_table(compiled_code, model.config.meta.columns) }}
            {%- endcall -%}
            {%- do persist_docs(this, model) -%}
        {%- endif -%}
    {%- endcall -%}
    {%- do cdc.mark_applied(version, built_by) -%}

    {{ return({'relations': [this.incorporate(type='table')]}) }}
{% endmaterialization %}
