{#- on-run-end, where the marks are not as this run found them: another one worked beside it, which only a Spark server lets
    happen. This one writes none, so that the next run reads a little again. But the gold tables that it wrote, and what both
    rebuilt, may be wrong: the error lists them, and their marks are deleted, so that the next run makes them from all of silver.
    `found`: the marks as they are now. -#}
{% macro refuse_doubtful_tables(found) -%}
    {%- set run = cdc.lakehouse_run() -%}
    {%- set doubtful = [] -%}
    {%- for name, plan in run.gold_plans.items() if plan.mode != 'nothing' -%}
        {%- do doubtful.append(name) -%}
    {%- endfor -%}
    {%- for name, mark in run.applied_now.items()
        if cdc.build_of_mark(found.get(name, mark)) != cdc.build_of_mark(mark) and name not in doubtful and not name.startswith('#')
    -%}
        {%- do doubtful.append(name) -%}
    {%- endfor -%}
    {%- if doubtful -%}
        {%- do cdc.forget_marks(doubtful) -%}
        {{ exceptions.raise_compiler_error(
            'Another run, or an operation, ended while this one worked, and what they wrote side by side may be wrong. The next'
            ~ ' `dbt run` builds it again: ' ~ doubtful | join(', ') ~ '. Let one run at a time work on these tables'
            ~ ' (docs/operations.md, A Spark server of your own).'
        ) }}
    {%- endif -%}
{%- endmacro %}
