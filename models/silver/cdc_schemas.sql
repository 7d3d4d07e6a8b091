{{ config(materialized='change_log', enabled=cdc.feeds() | length > 0, meta={'reads_only': 'new schemas'}) }}
{%- set formats = cdc.formats_in_use() %}
{%- set mark = cdc.mark_of_model() %}
with

{% for format in formats -%}
{{ format }}_schemas as (

    select
        schema_id,
        schema_text,
        min(bronze_version) as bronze_version
    from {{ ref(format ~ '_changes') }}
    where
        schema_id is not null
        and {{ cdc.is_newer_than(mark) }}
        and {{ cdc.is_new_schema(this, format, mark) }}
    group by schema_id, schema_text

),

{{ format }}_columns as (

    {{ cdc.schema_columns(format, format ~ '_schemas') }}

),

{% endfor -%}
all_columns as (

    {% for format in formats -%}
    select
        '{{ format }}' as format,
        {{ format }}_columns.*,
        {{ format }}_schemas.bronze_version
    from {{ format }}_columns
        inner join {{ format }}_schemas
            on {{ format }}_columns.schema_id = {{ format }}_schemas.schema_id
    {% if not loop.last %}union all
    {% endif %}
    {%- endfor %}

)

select * from all_columns
