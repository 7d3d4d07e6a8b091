{% macro gold_models() -%}
    {{ return(graph.nodes.values() | selectattr('config.materialized', 'in', ['current_state', 'current_rows']) | list) }}
{%- endmacro %}


{#- What the gold model of a tested relation declares: feed, table, key, columns. -#}
{% macro gold_declaration(relation) -%}
    {%- for node in cdc.gold_models() if node.alias == relation.identifier -%}
        {{ return(node.config.meta) }}
    {%- endfor -%}
{%- endmacro %}


{#- The table as a feed's settings name it: `shop.orders`. -#}
{% macro place_of(meta) -%}
    {%- set place = [] -%}
    {%- for part in cdc.place_parts() if meta[part] -%}
        {%- do place.append(meta[part].pattern if meta[part] is mapping else meta[part]) -%}
    {%- endfor -%}
    {{ return(place | join('.')) }}
{%- endmacro %}


{% macro place_parts() -%}
    {{ return(['database', 'schema', 'table']) }}
{%- endmacro %}
