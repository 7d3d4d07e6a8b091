{#- What is new in silver for one table since a bronze version, that of the model's mark. -#}
{% macro new_changes_of_table(meta, version) -%}
    {%- set found = {} -%}
    {%- for row in cdc.new_changes_of_silver(meta.silver, version < 0).rows
        if row.version > version and (meta.table is mapping or row.table == meta.table)
    -%}
        {%- if cdc.reads_table(meta, row.feed, row.database, row.schema, row.table) -%}
            {%- for count in ['row_changes', 'deletes', 'truncates', 'cleared_partitions', 'partials', 'moves'] -%}
                {%- do found.update({count: found.get(count, 0) + row[count]}) -%}
            {%- endfor -%}
            {%- for list in ['column_names', 'schema_ids'] -%}
                {%- do found.update({list: found.get(list, []) + row[list]}) -%}
            {%- endfor -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{%- endmacro %}


{#- What is new in silver for all tables of a format, as {since, rows}: asked once per run, and not per table, from the oldest mark
    of all that is made from it; and once from the beginning, if a table has to be built. -#}
{% macro new_changes_of_silver(silver, from_beginning=false) -%}
    {%- set answers = cdc.lakehouse_run().new_changes -%}
    {%- set question = silver ~ (' from the beginning' if from_beginning else '') -%}
    {%- if question not in answers -%}
        {%- set since = -1 if from_beginning else cdc.oldest_mark_of_readers(silver) -%}
        {%- set other = answers.get(silver ~ ('' if from_beginning else ' from the beginning'), {'since': none}) -%}
        {%- if since == -1 and other.since == -1 -%}
            {%- do answers.update({question: other}) -%}
            {{ return(other) }}
        {%- endif -%}
        {%- set names_columns = cdc.adds_columns(silver) -%}
        {%- set rows = [] -%}
        {%- for row in run_query(cdc.new_changes_by_table(cdc.silver_of({'silver': silver}), since, names_columns)) -%}
            {%- do rows.append({
                'feed': row[0], 'catalog': row[1], 'database': row[2], 'schema': row[3], 'table': row[4],
                'row_changes': row[5] | int, 'has_rows': row[5] | int > 0, 'deletes': row[6] | int, 'truncates': row[7] | int,
                'cleared_partitions': row[8] | int, 'partials': row[9] | int, 'moves': row[10] | int,
                'version': row[11] | int(-1), 'positioned_version': row[12] | int(-1), 'schema_ids': fromjson(row[13]),
                'column_names': fromjson(row[14]) if names_columns else []
            }) -%}
        {%- endfor -%}
        {%- do answers.update({question: {'since': since, 'rows': rows}}) -%}
    {%- endif -%}
    {{ return(answers[question]) }}
{%- endmacro %}


{#- The bronze version up to which all has read that is made from the present build of a change table of silver. -#}
{% macro oldest_mark_of_readers(silver) -%}
    {%- set applied = cdc.lakehouse_run().applied -%}
    {%- set build = applied.get(silver, {}).get('built_by', '') ~ ' ' -%}
    {%- set versions = [] -%}
    {%- for name in ['cdc_schemas', 'cdc_order_marks'] if name in applied -%}
        {%- do versions.append(applied[name].version) -%}
    {%- endfor -%}
    {%- for node in cdc.gold_models() if node.config.meta.silver == silver -%}
        {%- set mark = applied.get(node.name) -%}
        {%- if mark and mark.built_by.startswith(build) -%}{%- do versions.append(mark.version) -%}{%- endif -%}
    {%- endfor -%}
    {{ return(versions | min if versions else -1) }}
{%- endmacro %}


{#- With the names of all columns, which cost a look into every image, only where a gold model adds columns. -#}
{% macro new_changes_by_table(changes, version, names_columns) -%}
    with new_changes as (

        select
            *,
            operation in (
                'insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before', 'truncate', 'schema_change'
            ) as is_for_gold
        from {{ changes }}
        where bronze_version > {{ version }}

    )

    select
        feed,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        count_if(is_for_gold and operation not in ('truncate', 'schema_change')) as row_changes,
        count_if(operation in ('delete', 'update_before')) as deletes,
        count_if(operation = 'truncate' or is_for_gold and ddl_kind = 'drop') as truncates,
        count_if((operation = 'truncate' or is_for_gold and ddl_kind = 'drop') and order_scope = 'offset') as cleared_partitions,
        count_if(operation in ('insert', 'update', 'upsert', 'snapshot') and not is_after_complete) as partials,
        count_if(is_for_gold and {{ cdc.leaves_values_under_old_key('new_changes') }}) as moves,
        max(bronze_version) filter (where is_for_gold) as version,
        max(bronze_version) filter (where order_scope = 'position') as positioned_version,
        to_json(collect_set(schema_id)) as schema_ids
        {%- if names_columns %},
        to_json(array_distinct(flatten(collect_set(map_keys(after_image)) filter (where is_for_gold)))) as column_names
        {%- endif %}
    from new_changes
    group by feed, catalog_name, database_name, schema_name, table_name
{%- endmacro %}


{#- Did a feed of a format (of any format, for a model of all) receive records after a mark? -#}
{% macro has_new_records(mark, silver=none) -%}
    {%- set names = [] -%}
    {%- set own = cdc.feeds_with('format', (silver or model.name).removesuffix('_changes')) -%}
    {%- for name in own or cdc.feeds() -%}
        {%- if cdc.lakehouse_run().unread_feeds.get(name, -1) > mark.version -%}
            {%- do names.append(name) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(names | length > 0) }}
{%- endmacro %}


{#- Had silver come further than a model of its new tables, before this run? Earlier runs may have left the model out, by a selection
    or because they were killed, and what is new in bronze is asked without regard to it: no gold model needs it. -#}
{% macro lagged_silver(mark) -%}
    {%- for format in (cdc.formats_in_use() if model.config.meta.reads_only == 'new tables' else []) -%}
        {%- if cdc.lakehouse_run().applied_before.get(format ~ '_changes', {}).get('version', -1) > mark.version -%}
            {{ return(true) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(false) }}
{%- endmacro %}


{#- Asked where many runs find nothing, since an insert of no rows would be a commit all the same: is there a schema or a table
    that the model does not have, or a change that its position orders? -#}
{% macro may_have_rows(select, mark) -%}
    {%- set reads_only = model.config.meta.reads_only -%}
    {%- if not reads_only -%}
        {{ return(true) }}
    {%- endif -%}
    {%- if cdc.lagged_silver(mark) -%}
        {{ return(cdc.finds_rows(select)) }}
    {%- endif -%}
    {%- for format in cdc.formats_in_use() if cdc.has_new_records(mark, format) -%}
        {%- if reads_only == 'new tables' and cdc.has_unknown_tables(cdc.new_changes_of_silver(format ~ '_changes').rows) -%}
            {{ return(cdc.finds_rows(select)) }}
        {%- endif -%}
        {%- for row in cdc.new_changes_of_silver(format ~ '_changes').rows -%}
            {%- if reads_only == 'positions' and row.positioned_version > mark.version -%}
                {{ return(true) }}
            {%- endif -%}
            {%- if reads_only == 'new schemas' and cdc.has_unknown_schemas(format, row.schema_ids) -%}
                {#- a schema may describe no column -#}
                {{ return(cdc.finds_rows(select)) }}
            {%- endif -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(false) }}
{%- endmacro %}


{#- Is there a change that its position orders? -#}
{% macro has_positions() -%}
    {%- for from_beginning in [false, true] -%}
        {%- for format in cdc.formats_in_use() -%}
            {%- for table in cdc.new_changes_of_silver(format ~ '_changes', from_beginning).rows if table.positioned_version >= 0 -%}
                {{ return(true) }}
            {%- endfor -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(false) }}
{%- endmacro %}


{% macro finds_rows(select) -%}
    {{ return(run_query('select 1 from (' ~ select ~ ') limit 1') | length > 0) }}
{%- endmacro %}


{#- By the answer for the gold tables of the format, if it is there and goes back far enough. -#}
{% macro has_changes_since(version) -%}
    {%- set meta = model.config.meta -%}
    {%- set asked = cdc.lakehouse_run().new_changes.get(meta.silver) -%}
    {%- if asked and version >= asked.since -%}
        {{ return(cdc.new_changes_of_table(meta, version) != {}) }}
    {%- endif -%}
    {{ return(run_query(
        'select 1 from ' ~ cdc.silver_of(meta) ~ ' as changes where ' ~ cdc.of_this_table('changes') ~ ' and changes.bronze_version > '
        ~ version ~ ' limit 1'
    ) | length > 0) }}
{%- endmacro %}
