{#- What the gold model declares to which a test is attached. Refused: a table that the test is not for, and dbt's `where`, with which a
    test gets a text in the place of the table. `materialized`: what makes the tables that the test is for. -#}
{% macro tested_declaration(model, test, materialized) -%}
    {%- set node = none if model is string else cdc.model_of_gold_table(model) -%}
    {%- if node is none or node.config.materialized != materialized -%}
        {%- set kind = {'current_state': 'with a key', 'current_rows': 'without a key'}[materialized] -%}
        {{ exceptions.raise_compiler_error(
            test ~ ' of ' ~ model ~ ': the test is for gold models ' ~ kind ~ ' (' ~ materialized ~ '), and takes no `where`.'
        ) }}
    {%- endif -%}
    {{ return(node.config.meta) }}
{%- endmacro %}
