{#- The body of a gold model: what the new changes say of each key, typed; one row per key. The materialization
    of the same name merges it into the table; run alone, over all changes, it is the table's definition.

    current_state(
        feed='shop_mariadb', database='shop', table='orders',   where the changes come from (schema and catalog where there is one)
        key=['id'],                                             the key columns, as silver has them
        columns={'id': 'bigint', 'total': 'decimal(12,2)'},     name: type, or name: {'type': ..., 'source': 'wire name'}
        left_out=['note'],                                      columns that the source has and gold should not
        new_columns='add'                                       gold has columns that are not named as soon as they come; else 'report'
    )
-#}
{% macro current_state(
    feed, table, key, columns, database=none, schema=none, catalog=none, left_out=[], new_columns='report'
) -%}
    {%- set feed_name = feed -%}
    {%- do check_gold_model(feed_name, key, columns) -%}
    {%- do check_new_columns(new_columns) -%}
    {{- config(meta={
        'feed': feed, 'source_catalog': catalog, 'database': database, 'schema': schema, 'table': table, 'key': key, 'columns': columns,
        'left_out': left_out, 'new_columns': new_columns
    }) -}}
    {%- do check_patterns({'database': database, 'schema': schema, 'table': table}, columns, key) -%}
    {#- dbt parses before it knows the model's own configuration: then only the references count -#}
    {%- do ref(feed_settings(feed_name).format ~ '_changes') -%}
    {%- do ref('schemas') -%}
    {%- do ref('sequence_ranges') -%}
    {%- if execute and gold_plan().mode == 'nothing' -%}
    -- nothing is new in silver; `dbt compile` shows the whole statement
    {%- elif execute -%}
    {{- latest_of_table(feed_name, gold_plan().columns) -}}
    {%- endif -%}
{%- endmacro %}


{% macro latest_of_table(feed_name, columns) -%}
    {%- set plan = gold_plan() -%}
    {%- set sources = column_sources(columns) -%}
    {%- set encodings = encodings_of_columns(feed_name, sources) -%}
    {%- set decoded = encodings != [] -%}
    with
    {%- if has_voided_changes(plan) %}

    changes_of_table as (

        {{ changes_of_table(plan) }}

    ),

    changes as (

        {{ standing_changes() if plan.version is not none else 'select * from changes_of_table' }}

    ),
    {%- else %}

    changes as (

        {{ changes_of_table(plan) }}

    ),
    {%- endif %}
    {%- if plan.moves %}

    {{ moved_values(plan, state_relation() if plan.version is not none) }}
    {%- endif %}
    {%- if decoded %}

    column_types as (

        {{ wires_of_schemas() }}

    ),
    {%- endif %}
    {%- if plan.by_column %}

    {{ latest_by_column('moved' if plan.moves else 'changes', decoded) }}
    {%- else %}

    {{ latest_by_row(decoded) }}
    {%- endif %}
    {%- if decoded %}

    texts as (

        {{ canonical_texts(encodings) }}

    ),
    {%- endif %}

    typed as (

        select
            *
            {%- if plan.by_column and has_other_names(sources) %}
            except (_column_sequences),
            map(
                {%- for name, column in sources.items() %}
                {{ quoted(name) }}, _column_sequences[{{ quoted(column.get('source', name)) }}]{{ ',' if not loop.last }}
                {%- endfor %}
            ) as _column_sequences
            {%- endif %}
            {{- typed_columns(sources, feed_name) }}
        from {{ 'texts' if decoded else 'latest' }}

    ),

    final as (

        select
            {%- for name in columns %}
            {{ identifier(name) }},
            {%- endfor %}
            named_struct(
                'row_key', _row_key,
                'sequence', _sequence,
                {%- if plan.by_column %}
                'column_sequences', {{ older_than_row(
                    'transform(array(' ~ quoted_list(columns) ~ '), column_name -> coalesce('
                    ~ '_column_sequences[column_name], _base_sequence, ' ~ never() ~ '))', '_sequence'
                ) }},
                {%- else %}
                'column_sequences', _column_sequences,
                {%- endif %}
                'topic', _topic,
                'partition', _partition,
                'changed_at', _changed_at,
                'misfits', {{ misfits(sources, has_places=plan.by_column) }}
            ) as _change,
            _is_deleted,
            _is_rebuilt,
            _sequence,
            _delete_sequence,
            _base_sequence,
            _column_sequences
        from typed

    )

    select * from final
{%- endmacro %}


{#- The declared columns, made from the texts of `_image`. -#}
{% macro typed_columns(sources, feed_name) -%}
    {%- for name, column in sources.items() -%}
            ,
            {{ typed('_image[' ~ quoted(column.get('source', name)) ~ ']', column.type, gold_time_zone(feed_name)) }} as {{ identifier(name) }}
    {%- endfor -%}
{%- endmacro %}


{#- The columns of a model, each as {type, source}; `source` only where the messages name it otherwise. -#}
{% macro column_sources(columns) -%}
    {%- set sources = {} -%}
    {%- for name, column in columns.items() -%}
        {%- do sources.update({name: column if column is mapping else {'type': column}}) -%}
    {%- endfor -%}
    {{ return(sources) }}
{%- endmacro %}


{% macro has_other_names(sources) -%}
    {%- for name, column in sources.items() if column.get('source', name) != name -%}
        {{ return(true) }}
    {%- endfor -%}
    {{ return(false) }}
{%- endmacro %}


{#- Each value as the text a person would write, by the feed's `encodings`, else by what its schema tells of it. -#}
{% macro canonical_texts(encodings) -%}
        select
            * except (_image, _wires),
            map_zip_with(
                _image,
                {{ wires_with_settings() }},
                (column_name, wire_text, wire) -> {{ canonical_text('wire_text', 'wire', encodings) }}
            ) as _image
        from latest
{%- endmacro %}


{#- What the messages' schemas tell of the columns that are not written as plain text. -#}
{% macro wires_of_schemas() -%}
        select
            schema_id,
            map_from_entries(collect_list(struct(column_name, struct(wire_encoding, scale, labels)))) as wires
        from {{ ref('schemas') }}
        where
            format = {{ quoted(feed_settings(model.config.meta.feed).format) }}
            and {{ is_encoded() }}
        group by schema_id
{%- endmacro %}


{% macro is_encoded() -%}
    wire_encoding not in ('text', 'zoned_wall_clock')
{%- endmacro %}


{% macro encodings_of_table() -%}
    {%- set meta = model.config.meta -%}
    {{ return((feed_settings(meta.feed).get('encodings') or {}).get(place_of(meta), {})) }}
{%- endmacro %}


{% macro wires_with_settings() -%}
    {%- set told = encodings_of_table() -%}
    {%- if told -%}
        map_zip_with(
                    {{ known_wires() }},
                    map(
                        {%- for column, encoding in told.items() %}
                        {{ quoted(column) }}, {{ wire_of_setting(encoding) }}{{ ',' if not loop.last }}
                        {%- endfor %}
                    ),
                    (column_name, wire, wire_of_setting) -> coalesce(wire_of_setting, wire)
                )
    {%- else -%}
        {{ known_wires() }}
    {%- endif -%}
{%- endmacro %}


{% macro known_wires() -%}
    coalesce(_wires, cast(map() as map<string, struct<wire_encoding: string, scale: int, labels: array<string>>>))
{%- endmacro %}


{#- `epoch_days`, or with the number that the encoding needs: `connect_decimal(2)`. -#}
{% macro wire_of_setting(told) -%}
    {%- set parts = told.rstrip(')').split('(') -%}
    named_struct(
                            'wire_encoding', {{ quoted(parts[0] | trim) }},
                            'scale', cast({{ parts[1] | int if parts | length > 1 else 'null' }} as int),
                            'labels', cast(null as array<string>)
                        )
{%- endmacro %}


{#- The values that do not fit their type, each with its text and the place of the message that brought it: that of the row's
    newest change, or with `has_places` the value's own. -#}
{% macro misfits(sources, has_places=false) -%}
    {%- set typed_columns = {} -%}
    {%- for name, column in sources.items() if column.type != 'string' -%}
        {%- do typed_columns.update({name: column}) -%}
    {%- endfor -%}
    {%- if not typed_columns -%}
    cast(array() as array<struct<column_name: string, value: string, wanted_type: string, topic: string, partition: int>>)
    {%- else -%}
    transform(
                    filter(
                        array(
                            {%- for name, column in typed_columns.items() %}
                            struct(
                                {{ quoted(name) }} as column_name,
                                _image[{{ quoted(column.get('source', name)) }}] as value,
                                {{ quoted(column.type | lower | trim) }} as wanted_type,
                                {%- if has_places %}
                                _places[{{ quoted(column.get('source', name)) }}].topic as topic,
                                _places[{{ quoted(column.get('source', name)) }}].partition as partition,
                                {%- endif %}
                                {{ identifier(name) }} is null as is_null
                            ){{ ',' if not loop.last }}
                            {%- endfor %}
                        ),
                        typed -> {{ does_not_fit('typed.value', 'typed.is_null', 'typed.wanted_type') }}
                    ),
                    misfit -> struct(
                        misfit.column_name,
                        misfit.value,
                        misfit.wanted_type,
                        {{ 'misfit.topic' if has_places else '_topic as topic' }},
                        {{ 'misfit.partition' if has_places else '_partition as partition' }}
                    )
                )
    {%- endif -%}
{%- endmacro %}


{#- How the values of these columns are encoded, by the feed's `encodings` and all schemas; none where that is not known.
    Most tables of formats that write plain text have no encodings, and then do not look for types. -#}
{% macro encodings_of_columns(feed_name, sources) -%}
    {%- set coded = coded_columns(feed_settings(feed_name).format) -%}
    {%- if coded is none -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set encodings = [] -%}
    {%- for told in encodings_of_table().values() -%}
        {%- do encodings.append(told.split('(')[0] | trim) -%}
    {%- endfor -%}
    {%- for name, column in sources.items() -%}
        {%- do encodings.extend(coded.get(column.get('source', name), [])) -%}
    {%- endfor -%}
    {{ return(encodings) }}
{%- endmacro %}


{#- The columns that some schema of the format encodes, with the encodings; none where that is not known (compile, docs). -#}
{% macro coded_columns(format) -%}
    {%- set run = lakehouse_run() -%}
    {%- if not run or not load_relation(ref('schemas')) -%}
        {{ return(none) }}
    {%- endif -%}
    {%- if 'coded_columns' not in run -%}
        {%- set coded = {} -%}
        {%- for row in run_query(
            "select distinct format, column_name, wire_encoding from " ~ ref('schemas') ~ " where " ~ is_encoded()
        ) -%}
            {%- do coded.setdefault(row[0], {}).setdefault(row[1], []).append(row[2]) -%}
        {%- endfor -%}
        {%- do run.update({'coded_columns': coded}) -%}
    {%- endif -%}
    {{ return(run.coded_columns.get(format, {})) }}
{%- endmacro %}


{% macro gold_time_zone(name) -%}
    {{ feed_settings(name).get('time_zone', 'UTC') }}
{%- endmacro %}


{% macro sequence_type() -%}
    struct<epoch int, phase int, position array<decimal(38, 0)>, offset bigint, row_index int>
{%- endmacro %}


{#- Older than every change. -#}
{% macro never() -%}
    named_struct(
                'epoch', -1, 'phase', 0, 'position', cast(array() as array<decimal(38, 0)>),
                'offset', cast(0 as bigint), 'row_index', 0
            )
{%- endmacro %}


{#- The order in which gold compares: the change's own sequence below its epoch. silver.sequence_ranges tells epochs
    and the positions that position-less rows inherit; tables without any do not join it. A recreated topic counts its
    offsets anew, which matters where the offset is all there is. -#}
{% macro gold_sequence(relation, plan, declaration=none) -%}
    named_struct(
                {%- if plan.has_ranges %}
                'epoch', coalesce(ranges.epoch, 0) + if({{ relation }}.order_scope = 'offset', {{ relation }}.topic_generation, 0)
                {{- epochs_by_cut_overs(relation, declaration) }},
                'phase', {{ relation }}.change_sequence.phase,
                'position', coalesce(ranges.inherited_position, {{ relation }}.change_sequence.position),
                {%- else %}
                'epoch', if({{ relation }}.order_scope = 'offset', {{ relation }}.topic_generation, 0)
                {{- epochs_by_cut_overs(relation, declaration) }},
                'phase', {{ relation }}.change_sequence.phase,
                'position', {{ relation }}.change_sequence.position,
                {%- endif %}
                'offset', {{ relation }}.change_sequence.offset,
                'row_index', {{ relation }}.change_sequence.row_index
            )
{%- endmacro %}


{% macro join_ranges(relation, plan) -%}
    {%- if plan.has_ranges %}
            left join {{ ref('sequence_ranges') }} as ranges
                on
                    {{ relation }}.feed = ranges.feed
                    and {{ relation }}.topic = ranges.topic
                    and {{ relation }}.topic_generation = ranges.topic_generation
                    and {{ relation }}.partition = ranges.partition
                    and {{ relation }}.database_name <=> ranges.database_name
                    and {{ relation }}.schema_name <=> ranges.schema_name
                    and {{ relation }}.table_name = ranges.table_name
                    and {{ relation }}.offset between ranges.from_offset and coalesce(ranges.to_offset, {{ relation }}.offset)
    {%- endif -%}
{%- endmacro %}


{#- Silver's rows of the model's table, of the bronze versions that this run reads; of all without a plan for a run. -#}
{% macro from_changes_of_run(plan) -%}
    from {{ ref(feed_settings(model.config.meta.feed).format ~ '_changes') }} as changes
        {{- join_ranges('changes', plan) }}
        where
            {{ of_this_table('changes') }}
            {%- if plan.from_version is not none %}
            and changes.bronze_version > {{ plan.from_version }}
            {%- endif %}
            {%- if plan.version is not none %}
            and changes.bronze_version <= {{ plan.version }}
            {%- endif %}
{%- endmacro %}


{#- TRUNCATE, and DROP unless the feed keeps what the source has dropped. -#}
{% macro empties_the_table(relation, declaration=none) -%}
    {%- set meta = declaration or model.config.meta -%}
    {{ relation }}.operation = 'truncate'
    {%- if feed_settings(meta.feed).on_drop != 'keep' %}
                or {{ relation }}.operation = 'schema_change' and {{ relation }}.ddl_kind = 'drop'
    {%- endif -%}
{%- endmacro %}


{#- The table's row changes that this run reads. -#}
{% macro changes_of_table(plan) -%}
        select
            {{ gold_key_column('changes') }},
            {{ gold_key_column('changes', 'previous_row_key') }},
            changes.operation,
            changes.operation in ('delete', 'update_before') as is_deleted,
            {{ gold_image_column('changes') }},
            changes.is_after_complete,
            changes.schema_id,
            changes.topic,
            changes.partition,
            changes.changed_at,
            size(changes.change_sequence.position) > 0 as has_position,
            {{ 'moved.row_key is not null' if plan.rebuilds_moved else 'false' }} as is_rebuilt,
            {{ gold_sequence('changes', plan) }} as sequence
        from {{ ref(feed_settings(model.config.meta.feed).format ~ '_changes') }} as changes
        {{- join_ranges('changes', plan) }}
        {%- if plan.rebuilds_moved %}
            left join {{ state_relation() }} as moved
                on
                    {{ gold_key('changes') }} = moved.row_key
                    and moved.moved_sequence is not null
        {%- endif %}
        where
            {{ of_this_table('changes') }}
            {%- if plan.rebuilds_moved %}
            -- keys that exchanged rows depend on each other's history: they are made from all of it
            and (changes.bronze_version > {{ plan.from_version }} or moved.row_key is not null)
            {%- elif plan.from_version is not none %}
            and changes.bronze_version > {{ plan.from_version }}
            {%- endif %}
            {%- if plan.version is not none %}
            and changes.bronze_version <= {{ plan.version }}
            {%- endif %}
            and changes.operation in ('insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before')
            and changes.row_key is not null
{%- endmacro %}


{#- Where a full load that begins again stands: before everything of its epoch. -#}
{% macro beginning_of_epoch(epoch) -%}
    named_struct(
                'epoch', {{ epoch }},
                'phase', 0,
                'position', cast(array() as array<decimal(38, 0)>),
                'offset', cast(-1 as bigint),
                'row_index', 0
            )
{%- endmacro %}


{% macro has_full_loads_again(plan) -%}
    {{ return(plan.has_ranges or cut_overs() != []) }}
{%- endmacro %}


{#- The full loads that began again, as the stream's own marks or the feed's cut-overs tell; as in the state, rows
    without a key. -#}
{% macro full_loads_again(plan) -%}
    {%- if plan.has_ranges %}
        select
            cast(null as array<string>) as row_key,
            {%- if shard_parts() %}
            {{ shard_of('changes') }} as shard,
            {%- endif %}
            topic,
            partition,
            'full_load' as operation,
            changed_at,
            {{ beginning_of_epoch('epoch' ~ epochs_by_cut_overs('changes')) }} as delete_sequence
        from {{ ref('sequence_ranges') }} as changes
        where
            {{ of_this_table('changes') }}
            and starts_full_load
    {%- endif %}
    {%- for time in cut_overs() %}
        {%- if plan.has_ranges or not loop.first %}

        union all
        {% endif %}
        select
            cast(null as array<string>) as row_key,
            {%- if shard_parts() %}
            cast(null as array<string>) as shard,
            {%- endif %}
            cast(null as string) as topic,
            cast(null as int) as partition,
            'full_load' as operation,
            cast({{ quoted(time) }} as timestamp) as changed_at,
            {{ beginning_of_epoch(loop.index * epochs_of_a_cut_over()) }} as delete_sequence
    {%- endfor %}
{%- endmacro %}


{#- A change that moved its row to a new key and does not tell all values: the others lie under the old key. -#}
{% macro leaves_values_behind(relation) -%}
    {{ relation }}.previous_row_key is not null
            and {{ relation }}.row_key is not null
            and not {{ relation }}.is_after_complete
{%- endmacro %}


{#- The key that a move left. Debezium names it in a header, whose converter may write it otherwise than the key's does; then
    silver has nulls, and the only delete at the move's position has the key. -#}
{% macro key_left(moves, left_keys) -%}
    if(
                cardinality({{ left_keys }}.row_keys) = 1 and exists({{ moves }}.previous_row_key, key_part -> key_part is null),
                {{ left_keys }}.row_keys[0],
                {{ moves }}.previous_row_key
            )
{%- endmacro %}


{#- Can the state make changes of this run void? A table that is built anew meets the deletes of its keys among them. -#}
{% macro has_voided_changes(plan) -%}
    {{ return(
        plan.mode == 'merge' or plan.moves or plan.news.get('truncates', 0) > 0 or has_full_loads_again(plan)
    ) }}
{%- endmacro %}


{#- Those that no later delete of their key, and no later TRUNCATE or DROP, has made void. -#}
{% macro standing_changes() -%}
        select changes.*
        from changes_of_table as changes
            left anti join {{ state_relation() }} as deletes
                on
                    changes.row_key = deletes.row_key
                    and changes.sequence < deletes.delete_sequence
            left anti join {{ state_relation() }} as emptied
                on
                    emptied.row_key is null
                    and {{ reaches('emptied', 'changes') }}
                    and changes.sequence < emptied.delete_sequence
{%- endmacro %}


{#- What deletes keys: per key its highest delete, and the highest TRUNCATE or DROP as a row without a key, for the
    whole table (or shard) where positions order, for one topic and partition where only offsets do. -#}
{% macro deletes_of_changes(plan) -%}
    {%- set with_moves = plan.news.get('moves', 0) > 0 -%}
    {%- set sharded = shard_parts() != [] -%}
    {%- set begins_anew = has_full_loads_again(plan) -%}
    with
    {%- if begins_anew %}

    full_loads as (

        {{ full_loads_again(plan) }}

    ),
    {%- endif %}
    {%- if with_moves %}

    moves as (

        select
            {{ gold_key_column('changes') }},
            {{ gold_key_column('changes', 'previous_row_key') }},
            {{ gold_sequence('changes', plan) }} as sequence
        {{ from_changes_of_run(plan) }}
            and {{ leaves_values_behind('changes') }}

    ),

    left_keys as (

        select
            changes.change_sequence.position,
            collect_set({{ gold_key('changes') }}) as row_keys
        from {{ ref(feed_settings(model.config.meta.feed).format ~ '_changes') }} as changes
            left semi join moves
                on changes.change_sequence.position = moves.sequence.position
        where
            {{ of_this_table('changes') }}
            and changes.operation = 'delete'
            and changes.row_key is not null
            and size(changes.change_sequence.position) > 0
        group by changes.change_sequence.position

    ),
    {%- endif %}

    deletes as (

        select
            {{ gold_key_column('changes') }},
            {%- if sharded %}
            if(changes.row_key is null, {{ shard_of('changes') }}, null) as shard,
            {%- endif %}
            if(changes.row_key is null and changes.order_scope = 'offset', changes.topic, null) as topic,
            if(changes.row_key is null and changes.order_scope = 'offset', changes.partition, null) as partition,
            changes.operation,
            {{ gold_sequence('changes', plan) }} as sequence,
            cast(null as {{ sequence_type() }}) as moved_sequence
        {{ from_changes_of_run(plan) }}
            and (
                changes.operation in ('delete', 'update_before') and changes.row_key is not null
                or {{ empties_the_table('changes') }}
            )
        {%- if with_moves %}

        union all

        -- a row that comes from another key begins anew: nothing that the key held before counts
        select
            row_key,
            {%- if sharded %}
            null as shard,
            {%- endif %}
            null as topic,
            null as partition,
            'moved_here' as operation,
            named_struct(
                'epoch', sequence.epoch,
                'phase', sequence.phase,
                'position', sequence.position,
                'offset', sequence.offset,
                'row_index', sequence.row_index - 1
            ) as sequence,
            sequence as moved_sequence
        from moves

        union all

        -- its values lie under the old key: what is new there is new for it
        select
            {{ key_left('moves', 'left_keys') }} as row_key,
            {%- if sharded %}
            null as shard,
            {%- endif %}
            null as topic,
            null as partition,
            null as operation,
            null as sequence,
            moves.sequence as moved_sequence
        from moves
            left join left_keys
                on moves.sequence.position = left_keys.position
        {%- endif %}
        {%- if begins_anew %}

        union all

        -- a full load that begins anew removes the keys that it does not bring again
        select
            row_key,
            {%- if sharded %}
            shard,
            {%- endif %}
            topic,
            partition,
            operation,
            delete_sequence as sequence,
            null as moved_sequence
        from full_loads
        {%- endif %}

    )

    select
        row_key,
        {%- if sharded %}
        shard,
        {%- endif %}
        topic,
        partition,
        max(sequence) as delete_sequence,
        max_by(operation, sequence) as operation,
        max(moved_sequence) as moved_sequence
    from deletes
    group by row_key, {{ 'shard, ' if sharded }}topic, partition
{%- endmacro %}


{#- The newest change of each key, as a whole row: right while every image of the batch is complete. -#}
{% macro latest_by_row(decoded) -%}
    newest as (

        select
            row_key,
            max(sequence) as sequence,
            max_by(
                struct(is_deleted, is_rebuilt, after_image, schema_id, topic, partition, changed_at),
                sequence
            ) as change
        from changes
        -- the sort of the groups compares numbers sooner than arrays of text
        group by xxhash64(row_key), row_key

    ),

    latest as (

        select
            newest.row_key as _row_key,
            newest.change.is_deleted as _is_deleted,
            newest.change.is_rebuilt as _is_rebuilt,
            newest.sequence as _sequence,
            if(newest.change.is_deleted, newest.sequence, null) as _delete_sequence,
            newest.sequence as _base_sequence,
            cast(null as map<string, {{ sequence_type() }}>) as _column_sequences,
            newest.change.topic as _topic,
            newest.change.partition as _partition,
            newest.change.changed_at as _changed_at,
            newest.change.after_image as _image
            {%- if decoded %},
            column_types.wires as _wires
            {%- endif %}
        from newest
        {%- if decoded %}
            left join column_types
                on newest.change.schema_id = column_types.schema_id
        {%- endif %}

    ),
{%- endmacro %}


{#- The newest value of each column of each key: for batches with images that lack columns. The newest complete image
    is the base; only what lies over it, and behind the newest delete, counts. -#}
{% macro latest_by_column(changes, decoded) -%}
    dated as (

        select
            *,
            max(if(is_deleted, sequence, null)) over (partition by row_key) as delete_sequence,
            max(if(not is_deleted and is_after_complete, sequence, null)) over (partition by row_key) as complete_sequence
        from {{ changes }}

    ),

    begun as (

        select
            *,
            if(complete_sequence > coalesce(delete_sequence, {{ never() }}), complete_sequence, null) as base_sequence
        from dated

    ),

    images as (

        select
            begun.row_key,
            begun.sequence,
            begun.delete_sequence,
            begun.base_sequence,
            struct(begun.is_deleted, begun.is_rebuilt, begun.topic, begun.partition, begun.changed_at) as change,
            if(
                not begun.is_deleted
                and (begun.delete_sequence is null or begun.sequence > begun.delete_sequence)
                and (begun.base_sequence is null or begun.sequence >= begun.base_sequence),
                begun.after_image, null
            ) as image
            {%- if decoded %},
            column_types.wires
            {%- endif %}
        from begun
        {%- if decoded %}
            left join column_types
                on begun.schema_id = column_types.schema_id
        {%- endif %}

    ),

    column_values as (

        select
            row_key,
            column_name,
            max(sequence) as sequence,
            max(delete_sequence) as delete_sequence,
            max(base_sequence) as base_sequence,
            max_by(change, sequence) as change,
            max_by(
                struct(column_value, change.topic, change.partition{{ ', wires[column_name] as wire' if decoded }}),
                sequence
            ) as newest_value
        from images
            lateral view outer explode(image) as column_name, column_value
        group by row_key, column_name

    ),

    latest as (

        select
            row_key as _row_key,
            max_by(change.is_deleted, sequence) as _is_deleted,
            max_by(change.is_rebuilt, sequence) as _is_rebuilt,
            max(sequence) as _sequence,
            max(delete_sequence) as _delete_sequence,
            max(base_sequence) as _base_sequence,
            map_from_entries(collect_list(struct(column_name, sequence)) filter (where column_name is not null)) as _column_sequences,
            max_by(change.topic, sequence) as _topic,
            max_by(change.partition, sequence) as _partition,
            max_by(change.changed_at, sequence) as _changed_at,
            map_from_entries(
                collect_list(struct(column_name, newest_value.column_value)) filter (where column_name is not null)
            ) as _image,
            map_from_entries(
                collect_list(struct(column_name, struct(newest_value.topic, newest_value.partition)))
                filter (where column_name is not null)
            ) as _places
            {%- if decoded %},
            map_from_entries(
                collect_list(struct(column_name, newest_value.wire)) filter (where column_name is not null)
            ) as _wires
            {%- endif %}
        from column_values
        group by row_key

    ),
{%- endmacro %}


{#- Moves with the values that they left behind: those of the old key's row as it was, of which an earlier move may
    have left some behind in turn, as a swap through a third key does: followed over 16 moves. `emptied` is a relation of
    what emptied the table in between. -#}
{% macro moved_values(plan, emptied=none) -%}
    left_keys as (

        select
            sequence.epoch,
            sequence.phase,
            sequence.position,
            collect_set(row_key) as row_keys
        from changes_of_table
        where
            operation = 'delete'
            and has_position
        group by sequence.epoch, sequence.phase, sequence.position

    ),

    moves as (

        select
            changes.* except (previous_row_key),
            {{ key_left('changes', 'left_keys') }} as previous_row_key
        from changes_of_table as changes
            left join left_keys
                on
                    changes.sequence.epoch = left_keys.epoch
                    and changes.sequence.phase = left_keys.phase
                    and changes.sequence.position = left_keys.position
        where {{ leaves_values_behind('changes') }}

    ),

    old_rows as (

        select
            moves.row_key,
            moves.sequence,
            moves.previous_row_key,
            old.sequence as old_sequence,
            old.is_deleted,
            old.after_image,
            old.is_after_complete,
            {{ leaves_values_behind('old') }} as is_moved,
            max(if(old.is_deleted or old.is_after_complete or old.previous_row_key is not null, old.sequence, null))
                over (partition by moves.row_key, moves.sequence) as began_at
        from moves
            inner join changes_of_table as old
                on
                    moves.previous_row_key = old.row_key
                    and moves.sequence > old.sequence
            {%- if emptied %}
            left anti join {{ emptied }} as emptied
                on
                    emptied.row_key is null
                    and {{ reaches('emptied', 'moves') }}
                    and emptied.delete_sequence between old.sequence and moves.sequence
            {%- endif %}
        where
            -- the delete of the old key that belongs to the move ends nothing before it
            not old.is_deleted
            or old.sequence.epoch <> moves.sequence.epoch
            or old.sequence.phase <> moves.sequence.phase
            or not old.sequence.position <=> moves.sequence.position
            or coalesce(cardinality(old.sequence.position), 0) <= 0 and old.sequence.offset <> moves.sequence.offset

    ),

    left_behind as (

        select
            row_key,
            sequence,
            aggregate(
                array_sort(
                    collect_list(struct(old_sequence, after_image)),
                    (older, newer) -> if(older.old_sequence < newer.old_sequence, -1, 1)
                ),
                cast(map() as map<string, string>),
                (image, newer) -> {{ overlaid('image', 'newer.after_image') }}
            ) as image,
            max(is_after_complete) as is_complete,
            -- where an earlier move had brought it; itself where none had
            coalesce(max(if(is_moved, previous_row_key, null)), row_key) as from_key,
            coalesce(max(if(is_moved, old_sequence, null)), sequence) as from_sequence
        from old_rows
        where
            not is_deleted
            and (began_at is null or old_sequence >= began_at)
        group by row_key, sequence

    ),
    {%- for moves in [2, 4, 8, 16] %}
    {%- set nearer = 'left_behind' if loop.first else 'over_' ~ loop.previtem ~ '_moves' %}

    -- each move where a later one looks for it, and where it looks for an earlier one itself
    met_over_{{ moves }}_moves as (

        select
            *,
            first_value(if(is_looked_for, struct(image, is_complete, from_key, from_sequence), null)) ignore nulls over (
                partition by if(is_looked_for, row_key, from_key), if(is_looked_for, sequence, from_sequence)
            ) as earlier
        from {{ nearer }}
            lateral view explode(array(true, false)) as is_looked_for

    ),

    over_{{ moves }}_moves as (

        select
            row_key,
            sequence,
            coalesce({{ overlaid('earlier.image', 'image') }}, image) as image,
            is_complete or coalesce(earlier.is_complete, false) as is_complete,
            earlier.from_key,
            earlier.from_sequence
        from met_over_{{ moves }}_moves
        where not is_looked_for

    ),
    {%- endfor %}

    moved as (

        select
            changes.* except (after_image, is_after_complete),
            if(old.image is null, changes.after_image, {{ overlaid('old.image', 'changes.after_image') }}) as after_image,
            changes.is_after_complete or coalesce(old.is_complete, false) as is_after_complete
        from changes
            left join over_16_moves as old
                on
                    changes.row_key = old.row_key
                    and changes.sequence = old.sequence

    ),
{%- endmacro %}


{% macro check_gold_model(feed_name, key, columns) -%}
    {%- do feed_settings(feed_name) -%}
    {%- if not key -%}
        {{ exceptions.raise_compiler_error(
            "Gold model '" ~ model.name ~ "' names no key: key=['id']. Of a table that has none, current_rows makes a gold table."
        ) }}
    {%- endif -%}
    {%- for column in key if column not in columns -%}
        {{ exceptions.raise_compiler_error(
            "Gold model '" ~ model.name ~ "': the key column '" ~ column ~ "' is not among its columns."
        ) }}
    {%- endfor -%}
    {%- do check_gold_columns(columns) -%}
{%- endmacro %}


{% macro check_gold_columns(columns) -%}
    {%- set own = own_names() -%}
    {%- for column in columns if column | lower in own -%}
        {{ exceptions.raise_compiler_error(
            "Gold model '" ~ model.name ~ "': the name '" ~ column ~ "' is gold's own; give the column another name"
            ~ " with {'type': ..., 'source': '" ~ column ~ "'}."
        ) }}
    {%- endfor -%}
{%- endmacro %}


{#- Names that the statement uses itself. -#}
{% macro own_names() -%}
    {{ return([
        '_change', '_row_key', '_is_deleted', '_is_rebuilt', '_sequence', '_delete_sequence', '_base_sequence', '_column_sequences',
        '_topic', '_partition', '_changed_at', '_image', '_wires', '_places'
    ]) }}
{%- endmacro %}


{#- A name that came from a message or a configuration, quoted wherever it is more than a plain word. -#}
{% macro identifier(name) -%}
    {%- if modules.re.fullmatch('[a-z_][a-z0-9_]*', name) -%}
        {{ name }}
    {%- else -%}
        `{{ name.replace('`', '``') }}`
    {%- endif -%}
{%- endmacro %}


{% macro quoted_list(names) -%}
    {%- for name in names -%}{{ quoted(name) }}{{ ', ' if not loop.last }}{%- endfor -%}
{%- endmacro %}
