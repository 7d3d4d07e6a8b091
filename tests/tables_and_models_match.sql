{{ config(meta={'cdc': {'findings': true}}) }}
-- Tables whose rows no gold model reads, with the command that writes a model, but for those that their feed leaves
-- out; and gold models whose table no message has named, with the nearest names that have come: the name may be a slip,
-- the source may have renamed the table, or the producer may not send it.

with

tables as (

    select
        feed,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        concat_ws('.', catalog_name, database_name, schema_name, table_name) as full_name,
        bool_or(has_rows) as has_rows,
        min(struct(topic, partition, offset)) as first_message,
        min(bronze_version) as bronze_version
    from {{ ref('cdc_source_tables') }}
    where feed in ({{ cdc.quoted_list(cdc.feeds()) }})
    group by
        feed,
        catalog_name,
        database_name,
        schema_name,
        table_name

),

gold_tables as (

    select * from {{ cdc.gold_tables() }}

),

unread as (

    select tables.*
    from tables
        left anti join gold_tables
            on {{ cdc.is_named_as_gold_table('tables', 'not tables.has_rows') }}
    where
        tables.has_rows
        and not {{ cdc.is_left_out('tables') }}
        and not {{ cdc.may_get_a_model('tables') }}

),

never_named as (

    select
        gold_tables.*,
        {{ cdc.declared_name() }} as declared_name
    from gold_tables
        left anti join tables
            on {{ cdc.is_named_as_gold_table('tables', 'not tables.has_rows') }}

),

compared as (

    select
        gold_tables.model_name,
        tables.full_name,
        levenshtein(
            lower(gold_tables.declared_name),
            lower({{ cdc.name_as_declared('tables') }})
        ) as distance
    from never_named as gold_tables
        inner join tables
            on gold_tables.feed = tables.feed

),

ranked as (

    select
        model_name,
        full_name,
        row_number() over (partition by model_name order by distance, full_name) as place
    from compared

),

nearest as (

    select
        model_name,
        concat_ws(', ', transform(array_sort(collect_list(struct(place, full_name))), one -> one.full_name)) as names
    from ranked
    where place <= 3
    group by model_name

),

findings as (

    select
        cast(null as string) as gold_table,
        feed,
        catalog_name,
        database_name,
        schema_name,
        table_name,
        first_message.topic,
        first_message.partition,
        first_message.offset,
        cast(null as array<string>) as row_key,
        concat(
            full_name,
            ' has no gold model: write one with `python -m ingestion generate ',
            feed,
            ' ',
            {{ cdc.shell_word('full_name') }},
            '`, or name it under leave_out of the feed'
        ) as finding
    from unread

    union all

    select
        never_named.model_name as gold_table,
        never_named.feed,
        never_named.catalog_name,
        never_named.database_name,
        never_named.schema_name,
        never_named.table_name,
        null as topic,
        null as partition,
        null as offset,
        null as row_key,
        concat(
            'no message has named its table, ',
            never_named.declared_name,
            coalesce(
                concat('; the nearest that have come: ', nearest.names),
                ', nor any other table of its feed'
            )
        ) as finding
    from never_named
        left join nearest
            on never_named.model_name = nearest.model_name

)

select * from findings
