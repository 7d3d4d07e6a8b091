{#- The body of a gold model for a table without a key: its rows, equal ones as often as the source has them.

    current_rows(
        feed='shop_postgres', database='shop', schema='public', table='log_lines',   as in current_state
        columns={'line': 'string', 'level': 'int'}
    )

    Every whole row that a change added counts +1, every one that it took -1. Nothing shows which of two equal rows a
    later change means, so the table is rebuilt from all of its changes whenever there are new ones.
    state.<table> has the counts: one row per distinct row; less than 0: taken more often than added.
-#}
{% macro current_rows(feed, table, columns=none, database=none, schema=none, catalog=none, left_out=[]) -%}
    {%- if not execute -%}
    {%- do cdc.check_gold_source(feed, table) -%}
    {%- if columns is not none -%}
        {%- do cdc.check_gold_columns(columns) -%}
        {%- do cdc.check_patterns({'database': database, 'schema': schema, 'table': table}, columns) -%}
    {%- endif -%}
    {{- cdc.declare_gold_table('current_rows', {
        'feed': feed, 'source_catalog': catalog, 'database': database, 'schema': schema, 'table': table, 'key': [],
        'columns': columns, 'left_out': left_out
    }) -}}
    {%- else -%}
    {%- if columns is none -%}
        {%- do cdc.check_columns_in_yaml() -%}
    {%- endif -%}
    {%- set columns = model.config.meta.columns -%}
    {%- set sources = cdc.column_sources(columns) -%}
    with

    counted as (

        select
            map_from_arrays(array({{ cdc.quoted_list(cdc.sources_of(sources)) }}), row_texts) as _image,
            copies as _copies,
            newest as _newest
        from {{ cdc.state_relation() }}
        where copies > 0

    ),

    copied as (

        select
            counted.*,
            _newest.topic as _topic,
            _newest.partition as _partition
        from counted
            lateral view explode(sequence(1, cast(_copies as int))) as _copy_number

    ),

    typed as (

        select
            *
            {{- cdc.typed_columns(sources, feed, decoded=[]) }}
        from copied

    ),

    final as (

        select
            {%- for name in columns %}
            {{ cdc.identifier(name) }},
            {%- endfor %}
            named_struct(
                'row_key', cast(null as array<string>),
                'sequence', _newest.sequence,
                'column_sequences', cast(map() as map<string, {{ cdc.sequence_type() }}>),
                'topic', _topic,
                'partition', _partition,
                'changed_at', _newest.changed_at,
                'misfits', {{ cdc.misfits(sources, decoded=[]) }}
            ) as _change
        from typed

    )

    select * from final
    {%- endif -%}
{%- endmacro %}


{#- How many there are of each distinct row: what state.<table> holds. -#}
{% macro counts_of_rows(plan) -%}
    {%- set feed_name = model.config.meta.feed -%}
    {%- set sources = cdc.column_sources(model.config.meta.columns) -%}
    {%- set decoded = cdc.decoded_columns(feed_name, sources) -%}
    {%- set row_before = cdc.row_before('changes', cdc.feed_settings(feed_name).format) -%}
    with

    changes as (

        select
            changes.operation,
            {{ cdc.as_column(cdc.gold_image('changes', row_before, plan.columns), 'before_image') }},
            {{ cdc.as_column(cdc.gold_image('changes', 'changes.after_image', plan.columns), 'after_image') }},
            changes.schema_id,
            changes.database_name,
            changes.schema_name,
            changes.table_name,
            changes.topic,
            changes.topic_generation,
            changes.partition,
            changes.offset,
            changes.row_index,
            changes.changed_at,
            changes.change_sequence.position,
            {{ cdc.proven_position('changes', feed_name) }} as proven_position,
            {{ cdc.gold_sequence('changes', plan) }} as sequence
        from {{ ref(model.config.meta.silver) }} as changes
            {{- cdc.join_ranges('changes', plan) }}
            {{- cdc.join_types_of_key('changes') }}
        where
            {{ cdc.is_of_run('changes', plan) }}
            and changes.operation in ('insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before', 'truncate')

    ),

    -- a producer that starts again goes back to an older position; one statement, or the statements of one transaction,
    -- may have equal rows at one position
    sendings as (

        select
            *,
            proven_position <=> lag(proven_position) over in_order as is_like_previous
        from changes
        window in_order as (
            partition by topic, topic_generation, partition, database_name, schema_name, table_name
            order by offset, row_index
        )

    ),

    numbered as (

        select
            *,
            count_if(not is_like_previous) over (
                partition by topic, topic_generation, partition, database_name, schema_name, table_name
                order by offset, row_index
            ) as sending
        from sendings

    ),

    cleared as (

        {{ cdc.cleared_tables(plan) }}

    ),

    not_superseded as (

        select numbered.*
        from numbered
            left anti join cleared
                on
                    {{ cdc.reaches('cleared', 'numbered', shard=cdc.shard_of('numbered')) }}
                    and numbered.sequence < cleared.delete_sequence
        where numbered.operation <> 'truncate'

    ),

    -- what makes a change the same one; without a position every message is one of its own
    placed as (

        select
            *,
            struct(
                database_name,
                schema_name,
                table_name,
                sequence.epoch,
                sequence.phase,
                position,
                if(size(position) > 0, null, struct(topic, topic_generation, partition, offset, row_index)) as place,
                operation,
                {{ cdc.texts_of_row('before_image', sources) }} as row_before,
                {{ cdc.texts_of_row('after_image', sources) }} as row_after
            ) as change
        from not_superseded

    ),

    copies_in_sendings as (

        select
            change,
            count(*) as copies,
            max(struct(sequence, topic, partition, changed_at, schema_id)) as newest
        from placed
        group by change, topic, topic_generation, partition, sending

    ),

    copies_in_partitions as (

        select
            change,
            max(copies) as copies,
            max(newest) as newest
        from copies_in_sendings
        group by change, newest.topic, newest.partition

    ),

    -- all rows of a full load have one position: equal ones in two partitions are two rows; in the stream it is one, sent again
    distinct_changes as (

        select
            change,
            if(change.phase = 0, sum(copies), max(copies)) as copies,
            max(newest) as newest
        from copies_in_partitions
        group by change

    ),

    moves as (

        select
            newest.schema_id,
            newest,
            delta * copies as copies,
            row_texts
        from distinct_changes
            lateral view stack(2, -1, change.row_before, 1, change.row_after) as delta, row_texts
        where row_texts is not null

    ),
    {%- if decoded %}

    column_types as (

        {{ cdc.wires_of_schemas(cdc.names_in_messages(plan.columns)) }}

    ),

    latest as (

        select
            moves.*,
            map_from_arrays(array({{ cdc.quoted_list(cdc.sources_of(sources)) }}), moves.row_texts) as _image,
            column_types.wires as _wires
        from moves
            left join column_types
                on moves.schema_id = column_types.schema_id

    ),

    texts as (

        {{ cdc.decoded_texts(sources) }}

    ),

    decoded as (

        select
            * except (row_texts, _image, _decoded),
            array(
                {%- for column in cdc.sources_of(sources) %}
                {{ cdc.text_of_column(column, decoded) }}{{ ',' if not loop.last }}
                {%- endfor %}
            ) as row_texts
        from texts

    ),
    {%- endif %}

    counted as (

        select
            row_texts,
            sum(copies) as copies,
            max_by(newest, if(copies > 0, newest.sequence, null)) as newest
        from {{ 'decoded' if decoded else 'moves' }}
        group by row_texts

    )

    select * from counted
    where copies <> 0
{%- endmacro %}


{#- The position of a change of a table without a key, without the numbers that only make its rows differ (`distinct_position`). -#}
{% macro proven_position(relation, feed) -%}
    {%- set position = relation ~ '.change_sequence.position' -%}
    {%- if cdc.feed_settings(feed).format in ['debezium_json', 'debezium_avro', 'debezium_cloudcanal', 'dtle'] -%}
            case
                when {{ relation }}.operation = 'truncate' or size({{ position }}) = 0 then {{ position }}
                when {{ relation }}.source_type in ('mysql', 'mariadb', 'oracle')
                    then slice({{ position }}, 1, size({{ position }}) - 1)
                when {{ relation }}.source_type = 'sqlserver' then slice({{ position }}, 1, size({{ position }}) - 4)
                else {{ position }}
            end
    {%- else -%}
            {{ position }}
    {%- endif -%}
{%- endmacro %}


{#- The texts of the model's columns, in its order; NULL where there is no image. -#}
{% macro texts_of_row(image, sources) -%}
    if({{ image }} is null, null, transform(array({{ cdc.quoted_list(cdc.sources_of(sources)) }}), column_name -> {{ image }}[column_name]))
{%- endmacro %}
