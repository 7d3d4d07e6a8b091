{#- The rows that many runs have added to the states become one per key, or per part that a TRUNCATE clears: the newest, which
    is the only one that counts. compact_tables calls it. -#}
{% macro fold_states() -%}
    {%- for node in cdc.gold_models() if node.config.materialized == 'current_state' -%}
        {%- set state = cdc.state_of(api.Relation.create(schema=node.schema, identifier=node.alias)) -%}
        {%- if load_relation(state) is not none -%}
            {%- do cdc.fold_state(state, node.config.meta) -%}
        {%- endif -%}
    {%- endfor -%}
{%- endmacro %}


{% macro fold_state(state, declaration) -%}
    {%- set key = 'row_key, ' ~ ('shard, ' if cdc.shard_parts(declaration)) ~ 'topic, partition' -%}
    {%- set doubled = 'select 1 from ' ~ state ~ ' group by ' ~ key ~ ' having count(*) > 1 limit 1' -%}
    {%- if run_query(doubled) | length > 0 -%}
        {%- do run_query(cdc.folded_state(state, key)) -%}
    {%- endif -%}
{%- endmacro %}


{% macro folded_state(state, key) -%}
insert overwrite {{ state }} ({{ key }}, delete_sequence, operation, moved_sequence)
select
    {{ key }},
    max(delete_sequence) as delete_sequence,
    max_by(operation, delete_sequence) as operation,
    max(moved_sequence) as moved_sequence
from {{ state }}
group by {{ key }}
{%- endmacro %}
