{#- The body of a gold model: what the new changes say of each key, typed; one row per key. The materialization
    of the same name merges it into the table; run alone, over all changes, it is the table's definition.

    current_state(
        feed='shop_mariadb', database='shop', table='orders',   where the changes come from (schema and catalog where there is one)
        key=['id'],                                             the key columns, as silver has them
        columns={'id': 'bigint', 'total': 'decimal(12,2)'}      name: type, or name: {'type': ..., 'source': 'wire name'}
    )
-#}
{% macro current_state(feed, table, key, columns, database=none, schema=none, catalog=none) -%}
    {%- set feed_name = feed -%}
    {%- do check_gold_model(feed_name, key, columns) -%}
    {{- config(meta={
        'feed': feed, 'source_catalog': catalog, 'database': database, 'schema': schema, 'table': table, 'key': key, 'columns': columns
    }) -}}
    {#- dbt parses before it knows the model's own configuration: then only the references count -#}
    {%- do ref(feed_settings(feed_name).format ~ '_changes') -%}
    {%- do ref('schemas') -%}
    {%- do ref('sequence_ranges') -%}
    {%- if execute -%}
    {{- latest_of_table(feed_name, columns) -}}
    {%- endif -%}
{%- endmacro %}


{% macro latest_of_table(feed_name, columns) -%}
    {%- set plan = gold_plan() -%}
    {%- set sources = {} -%}
    {%- for name, column in columns.items() -%}
        {%- do sources.update({name: column if column is mapping else {'type': column}}) -%}
    {%- endfor -%}
    {%- set decoded = needs_decoding(feed_name, sources) -%}
    with

    changes_of_table as (

        {{ changes_of_table(plan) }}

    ),

    changes as (

        {{ standing_changes() if plan.version is not none else 'select * from changes_of_table' }}

    ),
    {%- if plan.moves %}

    {{ moved_values(plan) }}
    {%- endif %}
    {%- if decoded %}

    column_types as (

        select
            schema_id,
            map_from_entries(collect_list(struct(column_name, struct(wire_encoding, scale, labels)))) as wires
        from {{ ref('schemas') }}
        where wire_encoding <> 'text'
        group by schema_id

    ),
    {%- endif %}
    {%- if plan.by_column %}

    {{ latest_by_column('moved' if plan.moves else 'changes', decoded) }}
    {%- else %}

    {{ latest_by_row(decoded) }}
    {%- endif %}
    {%- if decoded %}

    texts as (

        {{ canonical_texts() }}

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
            {%- for name, column in sources.items() %},
            {{ typed('_image[' ~ quoted(column.get('source', name)) ~ ']', column.type, gold_time_zone(feed_name)) }} as {{ identifier(name) }}
            {%- endfor %}
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
                'misfits', {{ misfits(sources) }}
            ) as _change,
            _is_deleted,
            _sequence,
            _delete_sequence,
            _base_sequence,
            _column_sequences
        from typed

    )

    select * from final
{%- endmacro %}


{% macro has_other_names(sources) -%}
    {%- for name, column in sources.items() if column.get('source', name) != name -%}
        {{ return(true) }}
    {%- endfor -%}
    {{ return(false) }}
{%- endmacro %}


{#- Each value as the text a person would write, by what its schema tells of it, else by the feed's `encodings`. -#}
{% macro canonical_texts() -%}
        select
            * except (_image, _wires),
            map_zip_with(
                _image,
                {{ wires_with_settings() }},
                (column_name, wire_text, wire) -> {{ canonical_text('wire_text', 'wire') }}
            ) as _image
        from latest
{%- endmacro %}


{% macro encodings_of_table() -%}
    {%- set meta = model.config.meta -%}
    {%- set place = [meta.database, meta.schema, meta.table] | select | join('.') -%}
    {{ return((feed_settings(meta.feed).get('encodings') or {}).get(place, {})) }}
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
                    (column_name, wire, wire_of_setting) -> coalesce(wire, wire_of_setting)
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


{#- The values that do not fit their type, each with its text. -#}
{% macro misfits(sources) -%}
    {%- set typed_columns = {} -%}
    {%- for name, column in sources.items() if column.type != 'string' -%}
        {%- do typed_columns.update({name: column}) -%}
    {%- endfor -%}
    {%- if not typed_columns -%}
    cast(array() as array<struct<column_name: string, value: string, wanted_type: string>>)
    {%- else -%}
    transform(
                    filter(
                        array(
                            {%- for name, column in typed_columns.items() %}
                            struct(
                                {{ quoted(name) }} as column_name,
                                _image[{{ quoted(column.get('source', name)) }}] as value,
                                {{ quoted(column.type | lower | trim) }} as wanted_type,
                                {{ identifier(name) }} is null as is_null
                            ){{ ',' if not loop.last }}
                            {%- endfor %}
                        ),
                        typed -> {{ does_not_fit('typed.value', 'typed.is_null', 'typed.wanted_type') }}
                    ),
                    misfit -> struct(misfit.column_name, misfit.value, misfit.wanted_type)
                )
    {%- endif -%}
{%- endmacro %}


{#- Most tables of formats that write plain text need no decoding, and then do not look for types. -#}
{% macro needs_decoding(feed_name, sources) -%}
    {%- set coded = coded_columns(feed_settings(feed_name).format) -%}
    {%- if coded is none or encodings_of_table() -%}
        {{ return(true) }}
    {%- endif -%}
    {%- for name, column in sources.items() if column.get('source', name) in coded -%}
        {{ return(true) }}
    {%- endfor -%}
    {{ return(false) }}
{%- endmacro %}


{#- Names of the columns that some schema of the format encodes; none where that is not known (compile, docs). -#}
{% macro coded_columns(format) -%}
    {%- set run = lakehouse_run() -%}
    {%- if not run or not load_relation(ref('schemas')) -%}
        {{ return(none) }}
    {%- endif -%}
    {%- if 'coded_columns' not in run -%}
        {%- set coded = {} -%}
        {%- for row in run_query(
            "select format, column_name from " ~ ref('schemas') ~ " where wire_encoding <> 'text' group by format, column_name"
        ) -%}
            {%- do coded.setdefault(row[0], []).append(row[1]) -%}
        {%- endfor -%}
        {%- do run.update({'coded_columns': coded}) -%}
    {%- endif -%}
    {{ return(run.coded_columns.get(format, [])) }}
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
{% macro gold_sequence(relation, plan) -%}
    named_struct(
                {%- if plan.has_ranges %}
                'epoch', coalesce(ranges.epoch, 0) + if({{ relation }}.order_scope = 'offset', {{ relation }}.topic_generation, 0),
                'phase', {{ relation }}.change_sequence.phase,
                'position', coalesce(ranges.inherited_position, {{ relation }}.change_sequence.position),
                {%- else %}
                'epoch', if({{ relation }}.order_scope = 'offset', {{ relation }}.topic_generation, 0),
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


{#- Which rows of silver belong to the model's table. -#}
{% macro of_this_table(relation) -%}
    {%- set meta = model.config.meta -%}
    {{ relation }}.feed = {{ quoted(meta.feed) }}
            {%- if meta.source_catalog %}
            -- a schema change may lack the catalog that rows have
            and coalesce({{ relation }}.catalog_name, {{ quoted(meta.source_catalog) }}) = {{ quoted(meta.source_catalog) }}
            {%- endif %}
            {%- if meta.database %}
            and {{ relation }}.database_name = {{ quoted(meta.database) }}
            {%- endif %}
            {%- if meta.schema %}
            and {{ relation }}.schema_name = {{ quoted(meta.schema) }}
            {%- endif %}
            and {{ relation }}.table_name = {{ quoted(meta.table) }}
{%- endmacro %}


{#- The table's row changes that this run reads. -#}
{% macro changes_of_table(plan) -%}
        select
            changes.row_key,
            changes.previous_row_key,
            changes.operation in ('delete', 'update_before') as is_deleted,
            changes.after_image,
            changes.is_after_complete,
            changes.after_unavailable,
            changes.schema_id,
            changes.topic,
            changes.partition,
            changes.changed_at,
            {{ gold_sequence('changes', plan) }} as sequence
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
            and changes.operation in ('insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before')
            and changes.row_key is not null
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
                    and (emptied.topic is null or changes.topic = emptied.topic)
                    and (emptied.partition is null or changes.partition = emptied.partition)
                    and changes.sequence < emptied.delete_sequence
{%- endmacro %}


{#- What deletes keys: per key its highest delete, and the highest TRUNCATE or DROP as a row without a key, for the
    whole table where positions order, for one topic and partition where only offsets do. -#}
{% macro deletes_of_changes(plan) -%}
    with deletes as (

        select
            changes.row_key,
            if(changes.row_key is null and changes.order_scope = 'offset', changes.topic, null) as topic,
            if(changes.row_key is null and changes.order_scope = 'offset', changes.partition, null) as partition,
            changes.operation,
            {{ gold_sequence('changes', plan) }} as sequence
        from {{ ref(feed_settings(model.config.meta.feed).format ~ '_changes') }} as changes
        {{- join_ranges('changes', plan) }}
        where
            {{ of_this_table('changes') }}
            {%- if plan.from_version is not none %}
            and changes.bronze_version > {{ plan.from_version }}
            {%- endif %}
            and changes.bronze_version <= {{ plan.version }}
            and (
                changes.operation in ('delete', 'update_before') and changes.row_key is not null
                or changes.operation = 'truncate'
                or changes.operation = 'schema_change' and changes.ddl_kind = 'drop'
            )
        {%- if plan.has_ranges %}

        union all

        -- a full load that starts anew removes the keys that it does not bring again
        select
            cast(null as array<string>),
            topic,
            partition,
            'full_load',
            named_struct(
                'epoch', epoch,
                'phase', 0,
                'position', cast(array() as array<decimal(38, 0)>),
                'offset', cast(-1 as bigint),
                'row_index', 0
            )
        from {{ ref('sequence_ranges') }} as changes
        where
            {{ of_this_table('changes') }}
            and starts_full_load
        {%- endif %}

    )

    select
        row_key,
        topic,
        partition,
        max(sequence) as delete_sequence,
        max_by(operation, sequence) as operation
    from deletes
    group by row_key, topic, partition
{%- endmacro %}


{#- The newest change of each key, as a whole row: right while every image of the batch is complete. -#}
{% macro latest_by_row(decoded) -%}
    newest as (

        select
            row_key,
            max(sequence) as sequence,
            max_by(
                struct(is_deleted, after_image, schema_id, topic, partition, changed_at),
                sequence
            ) as change
        from changes
        group by row_key

    ),

    latest as (

        select
            newest.row_key as _row_key,
            newest.change.is_deleted as _is_deleted,
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
    newest as (

        select
            row_key,
            max(sequence) as sequence,
            max(if(is_deleted, sequence, null)) as delete_sequence,
            max(if(not is_deleted and is_after_complete, sequence, null)) as complete_sequence,
            max_by(struct(is_deleted, topic, partition, changed_at), sequence) as change
        from {{ changes }}
        group by row_key

    ),

    begun as (

        select
            *,
            if(complete_sequence > coalesce(delete_sequence, {{ never() }}), complete_sequence, null) as base_sequence
        from newest

    ),

    images as (

        select
            changes.row_key,
            changes.sequence,
            changes.after_image
            {%- if decoded %},
            column_types.wires
            {%- endif %}
        from {{ changes }} as changes
            inner join begun
                on changes.row_key = begun.row_key
        {%- if decoded %}
            left join column_types
                on changes.schema_id = column_types.schema_id
        {%- endif %}
        where
            not changes.is_deleted
            and (begun.delete_sequence is null or changes.sequence > begun.delete_sequence)
            and (begun.base_sequence is null or changes.sequence >= begun.base_sequence)

    ),

    column_values as (

        select
            row_key,
            column_name,
            max(sequence) as sequence,
            max_by(struct(column_value{{ ', wires[column_name] as wire' if decoded }}), sequence) as newest_value
        from images
            lateral view explode(after_image) as column_name, column_value
        group by row_key, column_name

    ),

    composed as (

        select
            row_key,
            map_from_entries(collect_list(struct(column_name, newest_value.column_value))) as image,
            {%- if decoded %}
            map_from_entries(collect_list(struct(column_name, newest_value.wire))) as wires,
            {%- endif %}
            map_from_entries(collect_list(struct(column_name, sequence))) as column_sequences
        from column_values
        group by row_key

    ),

    latest as (

        select
            begun.row_key as _row_key,
            begun.change.is_deleted as _is_deleted,
            begun.sequence as _sequence,
            begun.delete_sequence as _delete_sequence,
            begun.base_sequence as _base_sequence,
            composed.column_sequences as _column_sequences,
            begun.change.topic as _topic,
            begun.change.partition as _partition,
            begun.change.changed_at as _changed_at,
            composed.image as _image
            {%- if decoded %},
            composed.wires as _wires
            {%- endif %}
        from begun
            left join composed
                on begun.row_key = composed.row_key

    ),
{%- endmacro %}


{#- A change that moved its row to a new key and lacks values: they lie under the old key, in its history. -#}
{% macro moved_values(plan) -%}
    left_behind as (

        select
            changes.row_key,
            changes.sequence,
            column_name,
            max_by(history.after_image[column_name], {{ gold_sequence('history', plan) }}) as column_value
        from changes
            inner join {{ ref(feed_settings(model.config.meta.feed).format ~ '_changes') }} as history
                on changes.previous_row_key = history.row_key
            {{- join_ranges('history', plan) }}
            lateral view explode(changes.after_unavailable) as column_name
        where
            {{ of_this_table('history') }}
            and map_contains_key(history.after_image, column_name)
            and {{ gold_sequence('history', plan) }} < changes.sequence
        group by changes.row_key, changes.sequence, column_name

    ),

    carried as (

        select
            row_key,
            sequence,
            map_from_entries(collect_list(struct(column_name, column_value))) as image
        from left_behind
        group by row_key, sequence

    ),

    moved as (

        select
            changes.* except (after_image, is_after_complete),
            if(carried.image is null, changes.after_image, map_concat(changes.after_image, carried.image)) as after_image,
            changes.is_after_complete
            or coalesce(size(carried.image) = size(changes.after_unavailable), false) as is_after_complete
        from changes
            left join carried
                on
                    changes.row_key = carried.row_key
                    and changes.sequence = carried.sequence

    ),
{%- endmacro %}


{% macro check_gold_model(feed_name, key, columns) -%}
    {%- do feed_settings(feed_name) -%}
    {%- if not key -%}
        {{ exceptions.raise_compiler_error(
            "Gold model '" ~ model.name ~ "' names no key. A table of current rows needs one: key=['id']."
        ) }}
    {%- endif -%}
    {%- for column in key if column not in columns -%}
        {{ exceptions.raise_compiler_error(
            "Gold model '" ~ model.name ~ "': the key column '" ~ column ~ "' is not among its columns."
        ) }}
    {%- endfor -%}
    {%- for column in columns if column | lower in (
        '_change', '_row_key', '_is_deleted', '_sequence', '_delete_sequence', '_base_sequence', '_column_sequences',
        '_topic', '_partition', '_changed_at', '_image', '_wires'
    ) -%}
        {{ exceptions.raise_compiler_error(
            "Gold model '" ~ model.name ~ "': the name '" ~ column ~ "' is gold's own; give the column another name"
            ~ " with {'type': ..., 'source': '" ~ column ~ "'}."
        ) }}
    {%- endfor -%}
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
