{{ config(materialized='kept_view', enabled=cdc.feeds() | length > 0) }}

with

all_changes as (

    {% for format in cdc.formats_in_use() %}
    select
        * except (before_image),
        {{ cdc.as_column(cdc.row_before('changes', format), 'before_image') }}
    from {{ ref(format ~ '_changes') }} as changes
    {% if not loop.last -%}
    union all
    {%- endif %}
    {%- endfor %}

)

select
    -- as declared, in this order
    {{ model.columns | join(',\n    ') }}
from all_changes
