{#- A view that stays as it is while its statement, comment included, and the tables that it reads are those that it was made
    from; made again where it was dropped, and by a full refresh. -#}
{% materialization kept_view, adapter='spark' %}
    {%- set built_by = 'view ' ~ local_md5(get_create_view_as_sql(this, compiled_code) ~ cdc.builds_of_inputs()) -%}
    {%- set mark = cdc.mark_of_model() -%}

    {%- if mark and mark.built_by == built_by and load_relation(this).is_view -%}
        {%- do cdc.nothing_new() -%}
        {%- set made = {'relations': [this.incorporate(type='view')]} -%}
    {%- else -%}
        {%- set made = create_or_replace_view() -%}
    {%- endif -%}
    {%- do cdc.mark_applied(0, built_by) -%}

    {{ return(made) }}
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
