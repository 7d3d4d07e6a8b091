{#- The relation of a gold model of current_state, by the model's name; refused where there is none, or none is built yet. `operation` is who
    asks, for the sentence. -#}
{% macro gold_table_named(table, operation) -%}
    {%- for node in cdc.gold_models() if node.name == table and node.config.materialized == 'current_state' -%}
        {%- set gold = api.Relation.create(schema=node.schema, identifier=node.alias) -%}
        {%- if load_relation(gold) is none -%}
            {{ exceptions.raise_compiler_error(operation ~ ": '" ~ table ~ "' is not in gold yet: run dbt first.") }}
        {%- endif -%}
        {{ return(gold) }}
    {%- endfor -%}
    {{ exceptions.raise_compiler_error(operation ~ ": '" ~ table ~ "' is no gold model of current_state.") }}
{%- endmacro %}
