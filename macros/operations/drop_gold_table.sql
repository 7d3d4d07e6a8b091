{#- Removes a gold table that no model makes any more, and its state, or the view of a history. What is none of ours is refused, and so is what
    has a model. Silver and bronze keep what it was made from.

    dbt run-operation drop_gold_table --args '{table: gold.carts}' -#}
{% macro drop_gold_table(table) -%}
    {%- set parts = (table | string | lower).split('.') -%}
    {%- if parts | length != 2 -%}
        {{ exceptions.raise_compiler_error("drop_gold_table: name the table with its schema, as in gold.carts, not '" ~ table ~ "'.") }}
    {%- endif -%}
    {%- for node in graph.nodes.values() if node.schema | lower == parts[0] and node.alias | lower == parts[1] -%}
        {{ exceptions.raise_compiler_error(
            'drop_gold_table: ' ~ node.original_file_path ~ ' makes ' ~ table ~ ': remove the file first, and its entry in YAML.'
        ) }}
    {%- endfor -%}
    {%- set gold = load_relation(api.Relation.create(schema=parts[0], identifier=parts[1])) -%}
    {%- if gold is none -%}
        {{ exceptions.raise_compiler_error('drop_gold_table: there is no table ' ~ table ~ '.') }}
    {%- endif -%}
    {%- if '_change' not in adapter.get_columns_in_relation(gold) | map(attribute='name') -%}
        {{ exceptions.raise_compiler_error('drop_gold_table: ' ~ table ~ ' has no column _change: it is no gold table of this project.') }}
    {%- endif -%}
    {#- a model that has gone to another schema has its state where it was -#}
    {%- if parts[1] not in cdc.gold_models() | map(attribute='alias') | map('lower') -%}
        {%- do run_query('drop table if exists ' ~ cdc.state_of(gold)) -%}
        {%- do cdc.forget_marks([parts[1]]) -%}
    {%- endif -%}
    {%- do adapter.drop_relation(gold) -%}
    {#- the view of misfits may name the table that is gone; the next run looks at it again -#}
    {%- do cdc.keep_misfits(cdc.applied_marks()) -%}
    {%- do cdc.forget_marks(['#misfits']) -%}
    {%- do log(table ~ ': dropped' ~ ('' if gold.is_view else ', with its state'), info=true) -%}
{%- endmacro %}
