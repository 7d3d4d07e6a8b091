{#- A table that is rebuilt where its statement has changed, or where a model that it reads took rows: that model deletes the
    mark (rows_were_added), so that a later run makes the table if this one leaves it out or is killed. -#}
{% materialization kept_table, adapter='spark' %}
    {%- set built_by = 'table ' ~ local_md5(compiled_code ~ model.description ~ cdc.builds_of_inputs()) -%}
    {%- set mark = cdc.mark_of_model() -%}

    {%- call cdc.with_hooks() -%}
        {%- if mark and mark.built_by == built_by -%}
            {%- do cdc.nothing_new() -%}
        {%- else -%}
            {%- do cdc.drop_other_type('table') -%}
            {%- do cdc._create_silver_table(compiled_code) -%}
        {%- endif -%}
    {%- endcall -%}
    {%- do cdc.mark_applied(0, built_by) -%}

    {{ return({'relations': [this.incorporate(type='table')]}) }}
{% endmaterialization %}
