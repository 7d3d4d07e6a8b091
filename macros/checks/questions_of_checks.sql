{#- What tests ask of the unchecked changes before they look at them: most runs have none of what a finding needs. -#}

{#- Does a change that was not checked yet have the key and the position of one in another partition? The answer spares a look at
    the images of all silver. -#}
{% macro has_shared_positions() -%}
    {%- if not execute or not cdc.lakehouse_run() -%}
        {{ return(true) }}
    {%- endif -%}
    {%- set shared -%}
        select{{ cdc.broadcast_of_few_new_changes() }} 1
        from {{ ref('cdc_changes') }} as changes
            inner join {{ ref('cdc_changes') }} as new_changes
                on
                    {{ cdc.is_same_key('changes', 'new_changes') }}
                    and {{ cdc.is_same_position('changes', 'new_changes') }}
                    and {{ cdc.is_unchecked('new_changes') }}
        where
            struct(changes.topic, changes.partition) <> struct(new_changes.topic, new_changes.partition)
            and {{ cdc.is_compared('changes') }}
            -- the other half of an update
            and changes.operation <> 'update_before'
            and new_changes.operation <> 'update_before'
        limit 1
    {%- endset -%}
    {{ return(run_query(shared) | length > 0) }}
{%- endmacro %}


{#- What order_is_decided has to look at, by one question that reads no key and no image: the names of those of its findings
    that a table with unchecked changes can have at all. Most tables' rows never come from another key, full loads are rare, and
    a key or a position can be in several partitions only where its table is.
    `wanderers`: rows that offsets order, in several partitions; `half_cleared`: a table of several partitions, with a
    statement that clears one; `ties`: positions in several partitions; `moves`: rows that came from another key; `loads`: rows
    of a full load; `positions`: changes whose positions go up; `reloads`: a full load that began again by its marks, and
    after which no change of the stream was checked. -#}
{% macro questions_of_order() -%}
    {%- set questions = ['wanderers', 'half_cleared', 'ties', 'moves', 'loads', 'positions', 'reloads'] -%}
    {%- if not execute or not cdc.lakehouse_run() -%}
        {{ return(questions) }}
    {%- endif -%}
    {%- if not cdc.has_unchecked_changes() -%}
        {{ return([]) }}
    {%- endif -%}
    {%- set query -%}
        with changes as (

            select
                feed,
                catalog_name,
                database_name,
                schema_name,
                table_name,
                struct(topic, partition) as place,
                row_key is not null as has_key,
                order_scope = 'offset' or size(change_sequence.position) = 0 as is_ordered_by_offset,
                size(change_sequence.position) > 0 and change_sequence.phase = 1 as is_placed,
                operation,
                order_scope,
                previous_row_key is not null as is_moved,
                {{ cdc.is_unchecked() }} as is_unchecked
            from {{ ref('cdc_changes') }}
            -- a full load of a table without a key may be one that was started again, too
            where
                ({{ cdc.is_of_order() }} or operation = 'snapshot')
                and {{ cdc.is_compared() }}

        ),

        loads_again as (

            select loads.*
            from {{ ref('cdc_sequence_ranges') }} as loads
                left anti join {{ ref('cdc_order_marks') }} as marks
                    on
                        {{ cdc.is_same_table('loads', 'marks') }}
                        and loads.topic = marks.topic
                        and loads.topic_generation = marks.topic_generation
                        and loads.partition = marks.partition
                        and loads.from_offset < marks.from_offset
                        and not marks.is_full_load
                        and not {{ cdc.is_unchecked('marks') }}
            where loads.starts_full_load

        ),

        of_tables as (

            select
                feed,
                database_name,
                schema_name,
                table_name,
                min(place) filter (where has_key and is_ordered_by_offset)
                < max(place) filter (where has_key and is_ordered_by_offset) as wanderers,
                min(place) < max(place) and count_if(not has_key and is_ordered_by_offset) > 0 as half_cleared,
                min(place) filter (where has_key and is_placed) < max(place) filter (where has_key and is_placed) as ties,
                count_if(is_moved and is_unchecked) > 0 as moves,
                count_if(operation = 'snapshot' and is_unchecked) > 0 as loads,
                count_if(
                    is_unchecked and is_placed and order_scope = 'position' and operation <> 'snapshot'
                ) > 0 as positions
            from changes
            group by feed, catalog_name, database_name, schema_name, table_name
            having count_if(is_unchecked) > 0

        ),

        asked as (

            select
                of_tables.*,
                loads_again.feed is not null as reloads
            from of_tables
                left join loads_again
                    on
                        {{ cdc.is_same_table('of_tables', 'loads_again') }}

        )

        select
            {%- for question in questions %}
            coalesce(bool_or({{ question }}), false) as {{ question }}{{ ',' if not loop.last }}
            {%- endfor %}
        from asked
    {%- endset -%}
    {%- set answers = run_query(query).rows[0] -%}
    {%- set found = [] -%}
    {%- for question in questions if answers[question] -%}
        {%- do found.append(question) -%}
    {%- endfor -%}
    {{ return(found) }}
{%- endmacro %}


{#- Does a row of silver count in the order of its table: as a change of a row with a key, or as what clears the table? -#}
{% macro is_of_order() -%}
    (
        operation in ('insert', 'update', 'upsert', 'snapshot', 'delete', 'update_before')
        and {{ cdc.names_a_row('row_key') }}
        or operation = 'truncate'
        -- that with which a full load describes a table empties nothing
        or operation = 'schema_change' and ddl_kind = 'drop' and change_sequence.phase > 0
    )
{%- endmacro %}


{#- Is there a change that was not checked yet and meets a condition? Most tables' rows never come from another key, and full
    loads are rare. -#}
{% macro has_unchecked_changes_where(condition) -%}
    {%- if not execute or not cdc.lakehouse_run() -%}
        {{ return(true) }}
    {%- endif -%}
    {%- set found = 'select 1 from ' ~ ref('cdc_changes') ~ ' where ' ~ condition ~ ' and ' ~ cdc.is_unchecked() ~ ' limit 1' -%}
    {{ return(cdc.has_unchecked_changes() and run_query(found) | length > 0) }}
{%- endmacro %}


{#- The hint by which a join with the unchecked changes, as `new_changes`, holds these in every task, where they are few: Spark guesses
    their number by the files of all changes, and would sort these too. -#}
{% macro broadcast_of_few_new_changes() -%}
    {%- if not execute or not cdc.lakehouse_run() -%}
        {{ return('') }}
    {%- endif -%}
    {%- set known = cdc.lakehouse_run().known -%}
    {%- set most = 100000 -%}
    {%- set question = 'few changes since ' ~ cdc.checked_version() -%}
    {%- if question not in known -%}
        {%- set new_changes = 'select 1 from ' ~ ref('cdc_changes') ~ ' where ' ~ cdc.is_unchecked() ~ ' limit ' ~ (most + 1) -%}
        {%- do known.update({question: run_query('select count(*) from (' ~ new_changes ~ ')').rows[0][0] | int <= most}) -%}
    {%- endif -%}
    {{ return(' /*+ broadcast(new_changes) */' if known[question] else '') }}
{%- endmacro %}


{#- Has a table changes of a schema that it may not have had before? A schema of an unchecked change that one of the last changes of its
    table had is not new to it, and most have one; the answer spares a look at all changes. -#}
{% macro may_have_new_schemas() -%}
    {%- if not execute or not cdc.lakehouse_run() -%}
        {{ return(true) }}
    {%- endif -%}
    {%- set query -%}
        with known as (

            select distinct
                feed,
                catalog_name,
                database_name,
                schema_name,
                table_name,
                schema_id
            from {{ ref('cdc_changes') }}
            where
                not {{ cdc.is_unchecked() }}
                and bronze_version >= {{ cdc._oldest_compared() }}

        )

        select 1
        from {{ ref('cdc_changes') }} as unchecked
            left anti join known
                on
                    {{ cdc.is_same_table('unchecked', 'known') }}
                    and unchecked.catalog_name <=> known.catalog_name
                    and unchecked.schema_id = known.schema_id
        where
            unchecked.schema_id is not null
            and {{ cdc.is_unchecked('unchecked') }}
        limit 1
    {%- endset -%}
    {{ return(run_query(query) | length > 0) }}
{%- endmacro %}


{#- Has a change table of silver records without a value under a key that were not checked yet? Asked once a run, and not for each
    gold table: most formats have none. -#}
{% macro has_unchecked_tombstones(silver) -%}
    {%- if not execute or not cdc.lakehouse_run() -%}
        {{ return(true) }}
    {%- endif -%}
    {%- set known = cdc.lakehouse_run().known -%}
    {%- set question = 'tombstones of ' ~ silver -%}
    {%- if question not in known -%}
        {%- do known.update({question: run_query(
            'select 1 from ' ~ silver ~ " where operation = 'tombstone' and row_key is not null and " ~ cdc.is_unchecked() ~ ' limit 1'
        ) | length > 0}) -%}
    {%- endif -%}
    {{ return(known[question]) }}
{%- endmacro %}
