{#- Has the table epochs or inherited positions? Most have none, and then do not join the relation that has them. -#}
{% macro has_ranges(meta) -%}
    {{ return(not cdc.lakehouse_run() or cdc.ranges_of_table(meta) != []) }}
{%- endmacro %}


{#- The epochs of the table's partitions, each with the bronze version of its first change. -#}
{% macro ranges_of_table(meta) -%}
    {%- set known = cdc.lakehouse_run().known -%}
    {%- if 'cdc_sequence_ranges' not in known -%}
        {%- do known.update({'cdc_sequence_ranges': cdc.known_ranges()}) -%}
    {%- endif -%}
    {%- set found = [] -%}
    {#- the plain comparisons first: calls of a macro for each range of each of many tables take seconds -#}
    {%- for row in known.cdc_sequence_ranges
        if row[0] == meta.feed and (meta.table is mapping or row[3] == meta.table) and cdc.reads_table(meta, row[0], row[1], row[2], row[3]) -%}
        {%- do found.append({'range': row[4], 'version': row[5]}) -%}
    {%- endfor -%}
    {{ return(found) }}
{%- endmacro %}


{#- The ranges of all tables; those that an earlier run read, while the table of ranges is still the same. -#}
{% macro known_ranges() -%}
    {%- set applied = cdc.lakehouse_run().applied -%}
    {%- set build = applied.get('cdc_order_marks', {}).get('built_by') ~ ' ' ~ applied.get('cdc_sequence_ranges', {}).get('built_by') -%}
    {%- set text = cdc.remembered_text('#cdc_sequence_ranges', build) if cdc.is_settled('cdc_order_marks') -%}
    {%- if text -%}
        {{ return(fromjson(text)) }}
    {%- endif -%}
    {%- set ranges = [] -%}
    {%- set is_empty = 'cdc_sequence_ranges' in cdc.lakehouse_run().empty_tables -%}
    {%- for row in ([] if is_empty else run_query(cdc.ranges_by_table())) -%}
        {%- do ranges.append(row.values()[:5] | list + [row[5] | int]) -%}
    {%- endfor -%}
    {%- if cdc.is_settled('cdc_order_marks') -%}
        {%- do cdc.remember_text('#cdc_sequence_ranges', build, tojson(ranges)) -%}
    {%- endif -%}
    {{ return(ranges) }}
{%- endmacro %}


{% macro ranges_by_table() -%}
    select
        feed,
        database_name,
        schema_name,
        table_name,
        to_json(struct(topic, topic_generation, partition, epoch, later_epochs, min_by(from_offset, struct(bronze_version, from_offset)))) as range,
        min(bronze_version) as version
    from {{ cdc.silver_relation('sequence_ranges') }}
    where
        epoch > 0
        or later_epochs is not null
        or inherited_position is not null
    group by feed, database_name, schema_name, table_name, topic, topic_generation, partition, epoch, later_epochs
{%- endmacro %}
