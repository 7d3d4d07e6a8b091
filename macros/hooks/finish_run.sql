{#- on-run-end: one commit that keeps how far each model has come. Lost with a killed run, it only costs
    that the next run reads a little again: every step repeats safely. -#}
{% macro finish_run() -%}
    {%- set run = cdc.lakehouse_run() -%}
    {%- if execute and run -%}
        {%- do cdc.mark_checked() -%}
        {%- if var('thorough', false) -%}
            {%- do cdc.mark_thorough() -%}
        {%- endif -%}
        {%- do cdc.record_findings() -%}
        {%- if flags.WHICH in ['run', 'build'] -%}
            {%- do cdc.renew_misfits() -%}
            {%- do cdc.say_what_is_unchecked() -%}
        {%- endif -%}
    {%- endif -%}
    {%- if execute and run and run.applied_now -%}
        {%- set found = cdc.applied_marks() -%}
        {%- if found != run.applied_before -%}
            {%- do cdc.refuse_doubtful_tables(found) -%}
        {%- else -%}
            {%- do run.applied.update(run.applied_now) -%}
            insert overwrite {{ cdc.applied_versions() }} values
            {%- for model, mark in run.applied.items() %}
            ({{ cdc.quoted(model) }}, {{ mark.version }}, {{ cdc.quoted(mark.built_by) }}){{ ',' if not loop.last }}
            {%- endfor %}
        {%- endif -%}
    {%- endif -%}
{%- endmacro %}
