{#- A view that stays as it is while its statement, comment included, and the tables that it reads are those that it was made
    from; made again where it was dropped, and by a full refresh. -#}
{% materialization kept_view, adapter='spark' %}
    {%- set code = cdc.text_of_view(compiled_code) -%}
    {%- set built_by = 'view ' ~ local_md5(get_create_view_as_sql(this, code) ~ cdc.builds_of_inputs()) -%}
    {%- set mark = cdc.mark_of_model() -%}

    {%- call cdc.with_hooks() -%}
        {%- if mark and mark.built_by == built_by and load_relation(this).is_view -%}
            {%- do cdc.nothing_new() -%}
        {%- else -%}
            {%- do cdc.drop_other_type('view') -%}
            {%- call statement('main') -%}
                {{ get_create_view_as_sql(this, code) }}
            {%- endcall -%}
            {%- do persist_docs(this, model) -%}
        {%- endif -%}
    {%- endcall -%}
    {%- do cdc.mark_applied(0, built_by) -%}

    {{ return({'relations': [this.incorporate(type='view')]}) }}
{% endmaterialization %}


{#- Which builds the model reads: Spark keeps the columns that a view had when it was made, and a table that is built
    again may have others. -#}
{% macro builds_of_inputs() -%}
    {%- set builds = [] -%}
    {%- for id in model.depends_on.nodes -%}
        {%- do builds.append(cdc.lakehouse_run().get('applied', {}).get(id.split('.')[2], {}).get('built_by', '')) -%}
    {%- endfor -%}
    {{ return(builds | join(' ')) }}
{%- endmacro %}
