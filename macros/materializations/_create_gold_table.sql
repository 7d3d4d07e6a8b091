{#- A gold table that is rebuilt, a Delta table whatever the project's own default is. One that is there takes columns without a time
    zone only if the statement asks for Delta's feature; one without such columns is left readable for older readers. Deletion
    vectors would shut out readers that do not know them: a model that wants them says so in its tblproperties. -#}
{% macro create_gold_table(rows, columns) -%}
    {%- set properties = {'delta.enableDeletionVectors': 'false'} -%}
    {%- if 'timestamp_ntz' in cdc.column_sources(columns).values() | map(attribute='type') | join(' ') -%}
        {%- do properties.update({'delta.feature.timestampNtz': 'supported'}) -%}
    {%- endif -%}
    {%- do properties.update(config.get('tblproperties') or {}) -%}
    {%- set clauses = [
        partition_cols(label='partitioned by'), clustered_cols(label='clustered by'), location_clause(), comment_clause()
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
