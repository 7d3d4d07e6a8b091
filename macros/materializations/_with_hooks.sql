{#- What dbt promises of every model, around the statements of one of ours: `{% call cdc.with_hooks() %} ... {% endcall %}`.
    Hooks run also where nothing is new, as dbt runs those of an incremental model. Spark has no transactions, so a hook that asks to
    run outside of one runs beside the others. -#}
{% macro with_hooks() -%}
    {%- do cdc.run_hooks_of_model(pre_hooks) -%}
    {%- do caller() -%}
    {%- if config.get('grants') -%}
        {%- do apply_grants(this, config.get('grants'), should_revoke(this, full_refresh_mode=true)) -%}
    {%- endif -%}
    {%- do cdc.run_hooks_of_model(post_hooks) -%}
{%- endmacro %}


{% macro run_hooks_of_model(hooks) -%}
    {%- for hook in hooks -%}
        {%- set sql = render(hook.get('sql')) | trim -%}
        {%- if sql -%}
            {%- call statement(auto_begin=false) -%}{{ sql }}{%- endcall -%}
        {%- endif -%}
    {%- endfor -%}
{%- endmacro %}


{#- A view where a table is wanted, or the other way round, is dropped: a model may have been of another kind. -#}
{% macro drop_other_type(type) -%}
    {%- set known = load_relation(this) -%}
    {%- if known is not none and known.type != type -%}
        {%- do adapter.drop_relation(known) -%}
    {%- endif -%}
{%- endmacro %}
