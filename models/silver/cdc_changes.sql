{{ config(materialized='kept_view') }}

{% for format in cdc.formats_in_use() -%}
select * from {{ ref(format ~ '_changes') }}
{% if not loop.last %}union all
{% endif %}
{%- endfor %}
