{#- Relations of ours that no model and no source declares. Their schemas follow the one that the project gives to silver. -#}

{#- A relation in the schema of silver. -#}
{% macro silver_relation(identifier) -%}
    {{ return(api.Relation.create(schema=cdc.silver_schema(), identifier=identifier)) }}
{%- endmacro %}


{#- dbt named it when it parsed the project, by generate_schema_name; before that, the name that it has by itself. -#}
{% macro silver_schema() -%}
    {{ return((graph.nodes['model.cdc.cdc_changes'] or graph.sources['source.cdc.silver.findings']).schema if execute else 'silver') }}
{%- endmacro %}


{#- That of gold models to which the project gives no other one: beside the schema of silver, `dev_gold` beside `dev_silver`. -#}
{% macro gold_schema() -%}
    {{ return(cdc.silver_schema().replace('silver', 'gold')) }}
{%- endmacro %}


{#- Where the deletes of a gold table are: the table of the same name in the schema `state`, or in `dev_state` beside `dev_silver`. -#}
{% macro state_of(gold_table) -%}
    {%- set silver = cdc.silver_schema() -%}
    {%- set schema = silver.replace('silver', 'state') if 'silver' in silver else silver ~ '_state' -%}
    {{ return(api.Relation.create(schema=schema, identifier=gold_table.identifier, type='table')) }}
{%- endmacro %}


{% macro silver_of(declaration) -%}
    {{ return(cdc.silver_relation(declaration.silver)) }}
{%- endmacro %}


{#- The table of a gold model; none where no run has built it. -#}
{% macro gold_relation(node) -%}
    {{ return(adapter.get_relation(node.database, node.schema, node.alias)) }}
{%- endmacro %}


{% macro state_relation() -%}
    {{ return(cdc.state_of(this)) }}
{%- endmacro %}
