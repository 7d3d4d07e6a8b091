{{ config(meta={'cdc': {'findings': true}}) }}
-- Statements of the source that change which rows a gold table has, without a message for any of these rows: gold
-- does not follow them. One row per statement and gold table that it may concern. Load these tables again; where the
-- format does not mark a full load, a cut_over of the feed declares it.
{%- set is_statement -%}
    (
            operation in ('schema_change', 'truncate')
            or operation = 'transaction_end' and upper(source_operation) = 'XAROLLBACK'
        )
{%- endset %}
{%- set reloads = "source_operation in ('drop-table', 'truncate-table') and change_sequence.phase = 0" %}
{%- set loads = "ddl_kind = 'drop' and change_sequence.phase = 0 and not source_operation <=> 'drop-table'" %}

{% if not cdc.has_unchecked_changes_where(is_statement) -%}
select 'no statement since the last check' as finding
where false
{%- else -%}
{%- set has_reloads = cdc.has_unchecked_changes_where(reloads) %}
{%- set has_loads = cdc.has_unchecked_changes_where(loads) %}
{%- set of_debezium = cdc.feeds_of_marked_loads() + cdc.feeds_with('format', 'debezium_smt') %}
with

statements as (

    select
        feed,
        topic,
        partition,
        offset,
        message_timestamp,
        operation,
        source_operation,
        source_type,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        change_sequence.phase,
        ddl,
        ddl_kind,
        {{ cdc.statement_line('ddl') }} as line
    from {{ ref('cdc_changes') }}
    where
        {{ is_statement }}
        and {{ cdc.is_unchecked() }}

),

read_statements as (

    select
        *,
        {{ cdc.read_statement('ddl') }} as statement,
        {{ cdc.bare_line('line') }} as bare_line
    from statements

),

found as (

    select
        *,
        {{ cdc.finding_of_statement(of_debezium) }} as finding
    from read_statements

),

-- all names in the text; where it does not name its first table, the message's name
listed as (

    select
        *,
        case
            when not finding like 'the spelling%'
                then array_distinct(
                    concat(
                        coalesce(nullif(statement.tables, array()), array(cast(null as string))),
                        {{ cdc.other_tables('line') }}
                    )
                )
        end as names
    from found
    where finding is not null

),

named as (

    select
        listed.*,
        name
    from listed
            lateral view outer explode(names) as name

),

concerned as (

    select
        feed,
        topic,
        partition,
        offset,
        message_timestamp,
        operation,
        ddl,
        finding,
        catalog_name,
        case
            when name is null then database_name
            when statement.is_of_database and schema_name is null then {{ cdc.part_of_name('name', 3) }}
            when statement.is_of_database then database_name
            when schema_name is null then coalesce(nullif({{ cdc.part_of_name('name', 2) }}, ''), database_name)
            else coalesce(nullif({{ cdc.part_of_name('name', 1) }}, ''), database_name)
        end as database_name,
        case
            when schema_name is null then null
            when name is null then schema_name
            when statement.is_of_database then {{ cdc.part_of_name('name', 3) }}
            else coalesce(nullif({{ cdc.part_of_name('name', 2) }}, ''), schema_name)
        end as schema_name,
        case
            when name is null then table_name
            when not statement.is_of_database then {{ cdc.part_of_name('name', 3) }}
        end as table_name
    from named

),

{% if has_reloads -%}
loaded_again as (

    select distinct
        statements.feed,
        statements.topic,
        statements.partition,
        statements.offset,
        statements.message_timestamp,
        statements.operation,
        statements.ddl,
        'the task prepares its tables and loads them again, and gold takes a load for older than the stream' as finding,
        statements.catalog_name,
        statements.database_name,
        statements.schema_name,
        statements.table_name
    from statements
        inner join {{ ref('cdc_changes') }} as rows_before
            on
                statements.feed = rows_before.feed
                and statements.schema_name <=> rows_before.schema_name
                and statements.table_name = rows_before.table_name
                and statements.message_timestamp > rows_before.message_timestamp
    where
        statements.source_operation in ('drop-table', 'truncate-table')
        and statements.phase = 0
        and rows_before.row_key is not null
        and {{ cdc.is_after_cut_overs('rows_before') }}

),

{% endif -%}
{% if has_loads -%}
-- a load describes each table before it sends its rows, and has sent all of them once the stream goes on
streams as (

    select
        feed,
        max(message_timestamp) as streamed_at
    from {{ ref('cdc_changes') }}
    where
        change_sequence.phase = 1
        and row_key is not null
    group by feed

),

described as (

    select statements.*
    from statements
        inner join streams
            on
                statements.feed = streams.feed
                and statements.message_timestamp < streams.streamed_at
    where
        statements.ddl_kind = 'drop'
        and statements.phase = 0
        and not statements.source_operation <=> 'drop-table'

),

loaded_without_rows as (

    select
        described.feed,
        described.topic,
        described.partition,
        described.offset,
        described.message_timestamp,
        described.operation,
        described.ddl,
        'a full load began again and has no row of the table, whose rows of before stay; if it is empty now' as finding,
        described.catalog_name,
        described.database_name,
        described.schema_name,
        described.table_name
    from described
        left semi join {{ ref('cdc_changes') }} as older_rows
            on
                described.feed = older_rows.feed
                and described.database_name <=> older_rows.database_name
                and described.schema_name <=> older_rows.schema_name
                and described.table_name = older_rows.table_name
                and described.message_timestamp > older_rows.message_timestamp
                and older_rows.row_key is not null
                and {{ cdc.is_after_cut_overs('older_rows') }}
        left anti join {{ ref('cdc_changes') }} as loaded_rows
            on
                described.feed = loaded_rows.feed
                and described.database_name <=> loaded_rows.database_name
                and described.schema_name <=> loaded_rows.schema_name
                and described.table_name = loaded_rows.table_name
                and described.message_timestamp <= loaded_rows.message_timestamp
                and loaded_rows.change_sequence.phase = 0
                and loaded_rows.row_key is not null

),

{% endif -%}
all_concerned as (

    select * from concerned
    {%- if has_reloads %}
    union all
    select * from loaded_again
    {%- endif %}
    {%- if has_loads %}
    union all
    select * from loaded_without_rows
    {%- endif %}

),

of_gold_tables as (

    select
        all_concerned.* except (database_name, schema_name, table_name),
        gold_tables.model_name as gold_table,
        coalesce(gold_tables.database_name, all_concerned.database_name) as database_name,
        coalesce(gold_tables.schema_name, all_concerned.schema_name) as schema_name,
        coalesce(gold_tables.table_name, all_concerned.table_name) as table_name
    from all_concerned
        inner join {{ cdc.gold_tables() }}
            on {{ cdc.may_be_gold_table('all_concerned') }}
    where
        not all_concerned.finding like 'the spelling%'
        or not ({{ cdc.is_of_gold_table('all_concerned') }})

),

-- but for what a marked full load or a cut-over has answered since
final as (

    select distinct
        of_gold_tables.gold_table,
        of_gold_tables.feed,
        of_gold_tables.topic,
        of_gold_tables.partition,
        of_gold_tables.offset,
        cast(null as array<string>) as row_key,
        concat(
            of_gold_tables.finding,
            ': load the table again, and declare a cut_over of the feed where the format does not mark a full load'
        ) as finding,
        of_gold_tables.ddl
    from of_gold_tables
        left anti join {{ ref('cdc_sequence_ranges') }} as loads
            on
                {{ cdc.is_same_table('of_gold_tables', 'loads') }}
                and of_gold_tables.message_timestamp < loads.message_timestamp
                and (loads.starts_full_load or loads.is_told_by_position)
    where coalesce({{ cdc.is_after_cut_overs('of_gold_tables') }}, true)

)

select * from final
{%- endif %}
