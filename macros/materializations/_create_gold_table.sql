{#- A gold table that is rebuilt, a Delta table whatever the project's own default is. One that is there takes columns without a time
    zone only if the statement asks for Delta's feature; one without such columns is left readable for older readers. Deletion
    vectors would shut out readers that do not know them: a model that is `large` has them, and lies in the order of its key. -#}
{% macro create_gold_table(rows, columns) -%}
    {%- set properties = {'delta.enableDeletionVectors': 'true' if model.config.meta.large else 'false'} -%}
    {%- if 'timestamp_ntz' in cdc.column_sources(columns).values() | map(attribute='type') | join(' ') | lower -%}
        {%- do properties.update({'delta.feature.timestampNtz': 'supported'}) -%}
    {%- endif -%}
    {%- do properties.update(config.get('tblproperties') or {}) -%}
    {%- set clauses = [
        cdc.clustered_by_key(columns), partition_cols(label='partitioned by'), clustered_cols(label='clustered by'),
        location_clause(), comment_clause()
    ] -%}
create or replace table {{ this }}
using delta
    {%- for clause in clauses if clause | trim %}
{{ clause | trim }}
    {%- endfor %}
tblproperties (
    {%- for name, value in properties.items() %}
    {{ cdc.quoted(name) }} = {{ cdc.quoted(value | lower if value is boolean else value) }}{{ ',' if not loop.last }}
    {%- endfor %}
)
    {%- if config.get('contract').enforced %}
{{ get_assert_columns_equivalent(rows) }}
    {%- endif %}
as
{{ rows }}
{%- endmacro %}


{#- The clause by which compact_tables keeps rows of neighbouring keys of a large table together: the first four columns of the key
    that Delta has statistics of. A table that is partitioned cannot be clustered. -#}
{% macro clustered_by_key(columns) -%}
    {%- set sources, names = cdc.column_sources(columns), [] -%}
    {%- if model.config.meta.large and not config.get('partition_by') -%}
        {%- for name in model.config.meta.key if sources[name].type | lower not in ['binary', 'boolean'] -%}
            {%- do names.append(cdc.identifier(name)) -%}
        {%- endfor -%}
    {%- endif -%}
    {{ 'cluster by (' ~ names[:4] | join(', ') ~ ')' if names }}
{%- endmacro %}
