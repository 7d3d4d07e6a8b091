{{ config(materialized='kept_view', enabled=cdc.feeds() | length > 0) }}

{% for format in cdc.formats_in_use() -%}
select * from {{ ref(format ~ '_changes') }}
{% if not loop.last %}union all
{% endif %}
{%- endfor %}
