{{ config(materialized='change_log') }}
{%- set formats = formats_in_use() %}
{%- set mark = lakehouse_run().get('applied', {}).get('schemas') %}
{%- set everything = not mark or should_full_refresh() or load_relation(this) is none %}
with

{% for format in formats -%}
{{ format }}_schemas as (

    select
        schema_id,
        any_value(schema_text) as schema_text,
        min(bronze_version) as bronze_version
    from {{ ref(format ~ '_changes') }}
    where
        schema_id is not null
        {%- if not everything %}
        and bronze_version > {{ mark.version }}
        and schema_id not in (select known.schema_id from {{ this }} as known)
        {%- endif %}
    group by schema_id

),

{{ format }}_columns as (

    with schemas as (

        select * from {{ format }}_schemas

    )

    select * from (
    {{ context[format ~ '_columns']('schemas') }}
    )

),

{% endfor -%}
all_columns as (

    {% for format in formats -%}
    select
        '{{ format }}' as format,
        columns.*,
        schemas.bronze_version
    from {{ format }}_columns as columns
        inner join {{ format }}_schemas as schemas
            on columns.schema_id = schemas.schema_id
    {% if not loop.last %}union all
    {% endif %}
    {%- endfor %}

)

select * from all_columns
