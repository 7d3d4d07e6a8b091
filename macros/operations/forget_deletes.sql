{#- Removes from a table's state the deletes that are older than every change still to come: the state holds a row for every key
    that was ever deleted. `lateness` is an interval that you declare: no change reaches Kafka later than that after a newer
    delete of its key. It refuses where silver shows one that did (late_changes lists them). Kafka's time of the newest message counts as now;
    deletes without a time, and keys that took part in a move of unavailable values, stay.

    dbt run-operation forget_deletes --args '{table: orders, lateness: 30 days}' -#}
{% macro forget_deletes(table, lateness) -%}
    {%- set gold = cdc.gold_table_named(table, 'forget_deletes') -%}
    {%- set late = run_query(cdc.late_changes(table, lateness) ~ '\nlimit 1') -%}
    {%- if late.rows -%}
        {%- set change = late.rows[0] -%}
        {{ exceptions.raise_compiler_error(
            'forget_deletes: changes of ' ~ table ~ ' have come later than ' ~ lateness ~ ' after a newer delete of their key, the latest by '
            ~ change.late_by ~ ' (topic ' ~ change.topic ~ ', partition ' ~ change.partition ~ ', offset ' ~ change.offset
            ~ '). Declare more, or keep the deletes.'
        ) }}
    {%- endif -%}
    {#- a key that took part in a move has that in one row, its deletes in others -#}
    {%- do cdc.fold_state(cdc.state_of(gold), cdc.gold_declaration(gold)) -%}
    {%- do run_query(cdc.forget_settled_deletes(gold, lateness)) -%}
    {%- do log(
        table ~ ': ' ~ run_query('select count(*) from ' ~ cdc.state_of(gold)).rows[0][0] ~ ' rows of state are left', info=true
    ) -%}
{%- endmacro %}


{#- The proof: changes that reached Kafka later than `lateness` after a newer delete of their key, the latest first.

    dbt show --inline "{{ late_changes('orders', '30 days') }}" -#}
{% macro late_changes(table, lateness) -%}
    {%- do cdc.check_lateness(lateness) -%}
    {%- do ref('cdc_sequence_ranges') -%}
    {%- if not execute -%}
    select 'known once the project is read' as late_by
    {%- else -%}
    with changes as (

        {{ cdc.timed_changes(cdc.gold_table_named(table, 'late_changes')) }}

    ),

    dated as (

        select
            *,
            min(if(operation in ('delete', 'update_before'), message_timestamp, null)) over (
                partition by row_key
                order by sequence desc
                rows between unbounded preceding and 1 preceding
            ) as deleted_at
        from changes

    )

    select
        row_key,
        operation,
        topic,
        partition,
        offset,
        message_timestamp,
        deleted_at,
        cast(message_timestamp - deleted_at as string) as late_by
    from dated
    where message_timestamp > deleted_at + interval {{ cdc.quoted(lateness) }}
    order by message_timestamp - deleted_at desc
    {%- endif -%}
{%- endmacro %}


{% macro forget_settled_deletes(gold, lateness) -%}
merge into {{ cdc.state_of(gold) }} as known
using (

    with changes as (

        {{ cdc.timed_changes(gold) }}
            and changes.bronze_version <= ({{ cdc.version_read_by(cdc.model_of_gold_table(gold).name) }})

    ),

    deletes as (

        select
            row_key,
            max(sequence) as delete_sequence,
            max(message_timestamp) as deleted_at,
            count_if(message_timestamp is null) as undated
        from changes
        where operation in ('delete', 'update_before')
        group by row_key

    )

    select
        row_key,
        delete_sequence
    from deletes
    where
        undated = 0
        and deleted_at < (select max(message_timestamp) from changes) - interval {{ cdc.quoted(lateness) }}

) as settled
    on
        known.row_key = settled.row_key
        and known.moved_sequence is null
        and known.delete_sequence <= settled.delete_sequence
when matched then delete
{%- endmacro %}


{#- The row changes of a gold table, in gold's order, with Kafka's time. -#}
{% macro timed_changes(gold) -%}
    {%- set meta = cdc.gold_declaration(gold) -%}
    select
            {{ cdc.gold_key_column('changes', declaration=meta) }},
            {{ cdc.gold_sequence('changes', {'has_ranges': true}, meta) }} as sequence,
            changes.operation,
            changes.topic,
            changes.partition,
            changes.offset,
            changes.message_timestamp
        from {{ cdc.silver_of(meta) }} as changes
        {{- cdc.join_ranges('changes', {'has_ranges': true}) }}
        {{- cdc.join_types_of_key('changes', meta) }}
        where
            {{ cdc.of_this_table('changes', meta) }}
            and {{ cdc.names_a_row('changes.row_key') }}
            and changes.operation in ('insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before')
{%- endmacro %}


{% macro check_lateness(lateness) -%}
    {%- if not modules.re.fullmatch('[0-9]+ (second|minute|hour|day|week|month|year)s?', lateness | string) -%}
        {{ exceptions.raise_compiler_error(
            "forget_deletes: a lateness is a number and a unit, such as '30 days', not '" ~ lateness ~ "'."
        ) }}
    {%- endif -%}
{%- endmacro %}
