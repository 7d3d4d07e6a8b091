{#- The silver table of a feed's format, and what is made of all silver, count as never built: the next run builds them anew,
    and gold behind them. Refused where bronze no longer holds what the table was made from. `rebuild` does this before it
    accepts the feed's changed settings. -#}
{% macro forget_silver(feed) -%}
    {%- set changes = cdc.feed_settings(feed).format ~ '_changes' -%}
    {%- set silver = api.Relation.create(schema=generate_schema_name('silver', none), identifier=changes) -%}
    {%- do cdc.register_bronze() -%}
    {%- if load_relation(silver) is not none -%}
        {%- do cdc.refuse_lost_records(silver) -%}
    {%- endif -%}
    {%- do cdc.forget_marks([changes, 'cdc_schemas', 'cdc_order_marks']) -%}
{%- endmacro %}
