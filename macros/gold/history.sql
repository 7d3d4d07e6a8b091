{#- The body of a history model: every version that a row of the source ever had, typed; one row per key and version.

    history(of='orders')                                    of the gold model of this name: its table, key and columns

    history(
        feed='shop_mariadb', database='shop', table='orders',   or of a table, as in current_state
        key=['id'],
        columns={'id': 'bigint', 'total': 'decimal(12,2)'},
        left_out=['note']
    )

    It is a view over silver, so a late change splits the interval that it belongs to, and nothing has to be kept.
    valid_from, valid_to: when the source made this change, and the one that ended it (NULL: none did, or no message carries it)
    is_current:           no change ended it
    operation:            what made it
-#}
{% macro history(feed=none, table=none, key=none, columns=none, database=none, schema=none, catalog=none, left_out=none, of=none) -%}
    {%- if execute -%}
    {%- if of is not none or columns is none -%}
        {%- do cdc.check_columns_in_yaml() -%}
        {%- do cdc.check_history_columns(model.config.meta.columns) -%}
    {%- endif -%}
    {%- set versions = cdc.versions_of_table(model.config.meta.feed, model.config.meta.columns) -%}
    {%- do cdc.check_view_fits(versions) -%}
    {{- versions -}}
    {%- elif of is not none -%}
    {%- do cdc.check_history_of(of, [feed, table, key, database, schema, catalog, left_out]) -%}
    {{- cdc.declare_history_of(of, columns) -}}
    {%- else -%}
    {%- do cdc.check_gold_source(feed, table) -%}
    {%- if columns is not none -%}
        {%- do cdc.check_gold_model(feed, table, key, columns) -%}
        {%- do cdc.check_history_columns(columns) -%}
        {%- do cdc.check_patterns({'database': database, 'schema': schema, 'table': table}, columns, key) -%}
    {%- endif -%}
    {{- cdc.declare_gold_table('kept_view', {
        'feed': feed, 'source_catalog': catalog, 'database': database, 'schema': schema, 'table': table, 'key': key,
        'columns': columns, 'left_out': left_out
    }) -}}
    {%- endif -%}
{%- endmacro %}


{% macro versions_of_table(feed_name, columns) -%}
    {%- set plan = {'version': none, 'from_version': none, 'columns': columns, 'rebuilds_moved': false, 'has_ranges': true} -%}
    {%- set sources = cdc.column_sources(columns) -%}
    {%- set decoded = cdc.decoded_columns(feed_name, sources) -%}
    with

    changes_of_table as (

        {{ cdc.changes_of_table(plan) }}

    ),

    changes as (

        select * from changes_of_table

    ),

    cleared as (

        {{ cdc.cleared_tables(plan) }}

    ),

    column_types as (

        {{ cdc.wires_of_schemas(cdc.names_in_messages(columns)) }}

    ),

    {{ cdc.moved_values('changes_of_table', 'changes', 'cleared', 'column_types') }},

    row_keys as (

        select distinct
            row_key,
            topic,
            partition
        from changes

    ),

    -- TRUNCATE, DROP and a new full load end the versions of all keys
    ends as (

        select
            row_keys.row_key,
            cleared.operation,
            cleared.changed_at,
            cleared.has_position,
            cleared.delete_sequence as sequence
        from row_keys
            inner join cleared
                on
                    {{ cdc.reaches('cleared', 'row_keys') }}

    ),

    timeline as (

        select
            row_key,
            operation,
            is_deleted,
            is_after_complete or previous_row_key is not null as begins_stretch,
            after_image,
            left_wires,
            schema_id,
            topic,
            partition,
            changed_at,
            has_position,
            sequence
        from moved

        union all

        select
            row_key,
            operation,
            true as is_deleted,
            true as begins_stretch,
            null as after_image,
            null as left_wires,
            null as schema_id,
            null as topic,
            null as partition,
            changed_at,
            has_position,
            sequence
        from ends

    ),

    compared as (

        select
            * except (changed_at),
            -- a row that is in the new full load was there until it was read
            if(
                operation = 'full_load'
                and lead(struct(sequence.epoch, sequence.phase)) over in_order = struct(sequence.epoch, 0),
                lead(changed_at) over in_order,
                changed_at
            ) as changed_at,
            struct(is_deleted, sequence.epoch, sequence.phase, sequence.position, to_json(after_image)) as change,
            lead(struct(is_deleted, sequence.epoch, sequence.phase, sequence.position, to_json(after_image))) over in_order as next_change
        from timeline
        window in_order as (
            partition by row_key
            order by sequence
        )

    ),

    -- the same change again, at a higher offset: the position that the producer gave it proves it
    -- and no version begins before the one that it follows in the source's log
    distinct_changes as (

        select
            * except (changed_at),
            max(changed_at) over (partition by row_key order by sequence) as changed_at
        from compared
        where
            next_change is null
            or not has_position
            or not next_change <=> change

    ),

    dated as (

        select
            distinct_changes.*,
            lead(distinct_changes.sequence) over in_order as end_sequence,
            lead(distinct_changes.changed_at) over in_order as ended_at,
            count_if(distinct_changes.is_deleted or distinct_changes.begins_stretch) over in_order as stretch,
            {{ cdc.sent_values(
                'distinct_changes.after_image', cdc.wire_of_moved_value('distinct_changes.left_wires', 'column_types.wires')
            ) }} as sent_values
        from distinct_changes
            left join column_types
                on distinct_changes.schema_id = column_types.schema_id
        window in_order as (
            partition by distinct_changes.row_key
            order by distinct_changes.sequence
        )

    ),

    -- what an image lacks is in the versions before it, back to the last complete one
    versions as (

        select
            row_key as _row_key,
            operation as _operation,
            is_deleted as _is_deleted,
            changed_at as _valid_from,
            ended_at as _valid_to,
            end_sequence is null as _is_current,
            sequence as _sequence,
            topic as _topic,
            partition as _partition,
            map(
                {%- for column in cdc.sources_of(sources) %}
                {{ cdc.quoted(column) }}, last_value(sent_values[{{ cdc.quoted(column) }}]) ignore nulls over in_stretch{{ ',' if not loop.last }}
                {%- endfor %}
            ) as _sent_values
        from dated
        window in_stretch as (
            partition by row_key, stretch
            order by sequence
        )

    ),

    latest as (

        select
            * except (_sent_values),
            transform_values(_sent_values, (column_name, sent) -> sent.wire_text) as _image,
            transform_values(_sent_values, (column_name, sent) -> sent.wire) as _wires
        from versions
        where not _is_deleted

    ),
    {%- if decoded %}

    texts as (

        {{ cdc.decoded_texts(sources) }}

    ),
    {%- endif %}

    typed as (

        select
            *
            {{- cdc.typed_columns(sources, feed_name, decoded) }}
        from {{ 'texts' if decoded else 'latest' }}

    ),

    final as (

        select
            {%- for name in columns %}
            {{ cdc.identifier(name) }},
            {%- endfor %}
            _valid_from as valid_from,
            _valid_to as valid_to,
            _is_current as is_current,
            _operation as operation,
            named_struct(
                'row_key', _row_key,
                'sequence', _sequence,
                'topic', _topic,
                'partition', _partition,
                'misfits', {{ cdc.misfits(sources, decoded) }}
            ) as _change
        from typed

    )

    select * from final
{%- endmacro %}


{#- What cleared the whole table: TRUNCATE, DROP, a full load that began again; as in the state, rows without a key. -#}
{% macro cleared_tables(plan) -%}
        select
            cast(null as array<string>) as row_key,
            {%- if cdc.shard_parts() %}
            {{ cdc.shard_of('changes') }} as shard,
            {%- endif %}
            {{ cdc.reach_columns('changes') }},
            changes.operation,
            changes.changed_at,
            size(changes.change_sequence.position) > 0 as has_position,
            {{ cdc.gold_sequence('changes', plan) }} as delete_sequence
        from {{ ref(model.config.meta.silver) }} as changes
            {{- cdc.join_ranges('changes', plan) }}
            {{- cdc.join_types_of_key('changes') }}
        where
            {{ cdc.is_of_run('changes', plan) }}
            and (
                {{ cdc.clears_the_table('changes') }}
            )
        {%- if cdc.has_full_loads_again(plan) %}

        union all

        {{ cdc.full_loads_again(plan) }}
        {%- endif %}
{%- endmacro %}


{% macro check_history_of(of, others) -%}
    {%- if of is not string or others | reject('none') | list -%}
        {{ exceptions.raise_compiler_error(
            "History model '" ~ model.name ~ "': history(of='orders') takes the name of a gold model, and feed, table and key from it."
        ) }}
    {%- endif -%}
{%- endmacro %}


{% macro check_history_columns(columns) -%}
    {%- for column in columns if column | lower in cdc.own_names_of_history() + cdc.names_within_history() -%}
        {{ exceptions.raise_compiler_error(
            "History model '" ~ model.name ~ "': the name '" ~ column ~ "' is the history's own; give the column another name"
            ~ " with {'type': ..., 'source': '" ~ column ~ "'}."
        ) }}
    {%- endfor -%}
{%- endmacro %}


{#- The metastore of the embedded target (Derby) does not cut a view: it refuses one that is longer. -#}
{% macro longest_view() -%}
    {{ return(32700 if target.name == 'embedded' else 1000000000) }}
{%- endmacro %}


{#- The text that the metastore keeps of a view: the statement, without its indentation, a third of it, where it is too long with it. -#}
{% macro text_of_view(code) -%}
    {{ return(code if code | length <= cdc.longest_view() else modules.re.sub('\n *', '\n', code)) }}
{%- endmacro %}


{#- Only a run makes the view; what `dbt compile` prints on a new machine decodes every encoding, because no schemas show which occur. -#}
{% macro check_view_fits(versions) -%}
    {%- set length = cdc.text_of_view(versions) | length -%}
    {%- if cdc.lakehouse_run() and model.config.materialized == 'kept_view' and length > cdc.longest_view() -%}
        {{ exceptions.raise_compiler_error(
            "History model '" ~ model.name ~ "' has " ~ length ~ " characters, and the embedded target takes views of up"
            ~ " to " ~ cdc.longest_view() ~ ". Name fewer columns, or make it a table with {{ config(materialized='history_table') }} below history(...)."
        ) }}
    {%- endif -%}
{%- endmacro %}
