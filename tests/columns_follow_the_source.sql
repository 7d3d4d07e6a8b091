{{ config(meta={'cdc': {'findings': true}}) }}
-- Columns of the source that a gold model neither names nor lists in left_out, declared columns that whole rows
-- lack, columns whose type became another one, and those that a DDL message adds, drops, renames or alters, before
-- any row shows it. Nothing is lost by it: silver has all columns and all texts.

{%- if not cdc.has_unchecked_changes() %}

select 'nothing new since the last check' as finding
where false
{%- else %}
{%- set verb = '(?:add|drop|alter|modify|change|rename|unused)(?! table\\b)' %}
{%- set has_new_schemas = cdc.may_have_new_schemas() %}
{%- set no_columns = 'constraint|primary|unique|foreign|check|key|index|fulltext|spatial|partition' %}
{#- the first name in a part of a clause, after what such a part begins with -#}
{%- set first_name =
    '^ ?(?:' ~ verb ~ '\\b)?[ (]*(?:column\\b)?[ (]*(?:if (?:not )?exists )?([`"\\[][^`"\\]]+.|[^ (),;]+)' %}

with

unchecked as (

    select
        gold_tables.model_name,
        changes.topic,
        changes.partition,
        changes.is_after_complete,
        {{ cdc.ignores_case('changes') }} as ignores_case,
        {{ cdc.leaves_nulls_out('changes') }} as leaves_nulls_out,
        map_keys(changes.after_image) as column_names,
        min(struct(changes.topic, changes.partition, changes.offset)) as first_place,
        min(struct(changes.bronze_version, changes.offset)) as first_seen,
        max(struct(changes.bronze_version, changes.offset)) as last_seen
    from {{ ref('cdc_changes') }} as changes
        inner join {{ cdc.gold_tables() }}
            on {{ cdc.is_of_gold_table('changes') }}
    where
        changes.after_image is not null
        and {{ cdc.is_unchecked('changes') }}
    group by
        gold_tables.model_name,
        changes.topic,
        changes.partition,
        changes.is_after_complete,
        {{ cdc.ignores_case('changes') }},
        {{ cdc.leaves_nulls_out('changes') }},
        map_keys(changes.after_image)

),

-- a name that differs in case only from a declared one is that column, where the source ignores case
spelled as (

    select
        unchecked.* except (column_names),
        gold_columns.adds_new,
        gold_columns.taken_names,
        gold_columns.column_names as declared,
        if(
            unchecked.ignores_case,
            {{ cdc.spelled_as_declared('unchecked.column_names', 'gold_columns.column_names') }},
            unchecked.column_names
        ) as column_names
    from unchecked
        inner join {{ cdc.gold_columns() }}
            on unchecked.model_name = gold_columns.model_name

),

compared as (

    select
        *,
        array_except(column_names, declared) as undeclared
    from spelled

),

undeclared as (

    select
        model_name,
        column_name,
        if(
            any_value(adds_new),
            'gold cannot have it under this name: name it with another, or list it in left_out',
            'the model does not have it: name it, or list it in left_out'
        ) as finding,
        min(first_place) as first_place
    from compared
            lateral view explode(undeclared) as column_name
    where not (adds_new and {{ cdc.can_be_added('column_name', 'taken_names') }})
    group by model_name, column_name

),

columns_in_partitions as (

    select
        model_name,
        topic,
        partition,
        column_name,
        min(first_seen) filter (where array_contains(column_names, column_name)) as first_carrying,
        max(last_seen) filter (where array_contains(column_names, column_name)) as last_carrying,
        max(last_seen) filter (where not array_contains(column_names, column_name)) as last_lacking,
        min(first_place) filter (where not array_contains(column_names, column_name)) as first_place
    from compared
            lateral view explode(declared) as column_name
    -- elsewhere a row that lacks a column has NULL there; its new name, if it has one, is reported as undeclared
    where is_after_complete and not leaves_nulls_out
    group by model_name, topic, partition, column_name

),

-- rows from before a column was added lack it too, but none after the first row that has it
missing as (

    select
        model_name,
        column_name,
        'rows lack it: it was dropped or renamed, or the producer leaves it out' as finding,
        min(first_place) as first_place
    from columns_in_partitions
    group by model_name, column_name
    having
        max(last_lacking) > max(last_carrying)
        or max(last_carrying) is null
        or any(last_lacking > first_carrying)

),

-- on one line, without comments and the texts between single quotes (\x27), in which no clause begins
statements as (

    select
        gold_tables.model_name,
        gold_columns.column_names as declared,
        gold_columns.adds_new,
        changes.ddl,
        regexp_replace(
            regexp_replace(
                changes.ddl,
                r'(?s)(`[^`]*`|"[^"]*")|\x27(?:[^\x27\\]++|\\.|\x27\x27)*+\x27|/\*(?!!).*?\*/|(?:--|(?<!\w)#)[^\n]*',
                ' $1 '
            ),
            r'\s+',
            ' '
        ) as statement,
        struct(changes.topic, changes.partition, changes.offset) as first_place
    from {{ ref('cdc_changes') }} as changes
        inner join {{ cdc.gold_tables() }}
            on {{ cdc.is_of_gold_table('changes') }}
        inner join {{ cdc.gold_columns() }}
            on gold_tables.model_name = gold_columns.model_name
    where
        changes.operation = 'schema_change'
        and changes.ddl_kind in ('alter', 'rename')
        and {{ cdc.is_unchecked('changes') }}

),

-- `drop column a, b, ` and `add c int` of `alter table t drop column a, b, add c int`
actions as (

    select
        statements.*,
        action
    from statements
            lateral view explode(split(statement, r'(?i)(?<=[ ,)])(?<!column )(?={{ verb }}[ (\[])')) as action
    where action rlike r'(?i)^{{ verb }}\b'

),

-- of `drop column a, b, ` both names
named as (

    select
        actions.*,
        part,
        trim(both '`"[]' from regexp_extract(part, r'(?i){{ first_name }}', 1)) as name
    from actions
            lateral view explode(split(action, ',')) as part

),

matched as (

    select
        named.*,
        get(filter(declared, column_name -> lower(column_name) = lower(name)), 0) as declared_name
    from named

),

-- a name and a type add a column; where the model adds it too, it comes with its first value
altered as (

    select distinct
        model_name,
        coalesce(declared_name, name) as column_name,
        concat('the source has said: ', ddl) as finding,
        first_place
    from matched
    where
        if(
            action rlike r'(?i)^add\b',
            declared_name is null
            and not adds_new
            and part rlike r'(?i){{ first_name }} [a-z`"\[]'
            and not part rlike r'(?i)^(?:add)?[ (]*(?:{{ no_columns }})\b',
            declared_name is not null
        )

),

{% if has_new_schemas -%}
-- of all changes: a schema that is new to a table may be known from another one
schemas_of_tables as (

    select
        gold_tables.model_name,
        gold_tables.format,
        changes.schema_id,
        min(changes.bronze_version) as bronze_version,
        min(
            struct(
                coalesce(changes.changed_at, changes.message_timestamp),
                changes.bronze_version,
                changes.topic,
                changes.partition,
                changes.offset
            )
        ) as first_seen
    from {{ ref('cdc_changes') }} as changes
        inner join {{ cdc.gold_tables() }}
            on {{ cdc.is_of_gold_table('changes') }}
    where changes.schema_id is not null
    group by gold_tables.model_name, gold_tables.format, changes.schema_id

),

types as (

    select
        schemas_of_tables.model_name,
        schemas_of_tables.first_seen,
        schemas.column_name,
        struct(
            schemas_of_tables.bronze_version,
            schemas.proposed_type,
            schemas.source_type,
            -- `VARCHAR(24)` and `int(11)`, as somebody or a server of another version writes them, are no other types
            regexp_replace(lower(schemas.source_type), r'(?<=int)\(\d+\)|\s', '') as plain_type
        ) as described
    from schemas_of_tables
        inner join {{ ref('cdc_schemas') }} as schemas
            on
                schemas_of_tables.format = schemas.format
                and schemas_of_tables.schema_id = schemas.schema_id

),

successive as (

    select
        types.*,
        lag(described) over (partition by model_name, column_name order by first_seen) as earlier
    from types

),

-- either of the two schemas may be the newer one: partitions do not keep step
retyped as (

    select
        model_name,
        column_name,
        if(
            described.proposed_type <> earlier.proposed_type,
            concat('its type was ', earlier.proposed_type, ' and is ', described.proposed_type),
            concat('its type was ', earlier.source_type, ' and is ', described.source_type)
        ) as finding,
        struct(first_seen.topic, first_seen.partition, first_seen.offset) as first_place
    from successive
    where
        (described.proposed_type <> earlier.proposed_type or described.plain_type <> earlier.plain_type)
        and greatest(described.bronze_version, earlier.bronze_version) > {{ cdc.checked_version() }}

),

{% endif -%}
final as (

    select * from undeclared
    union all
    select * from missing
    union all
    select * from altered
    {%- if has_new_schemas %}
    union all
    select * from retyped
    {%- endif %}

)

select
    final.model_name as gold_table,
    gold_tables.feed,
    final.first_place.topic,
    final.first_place.partition,
    final.first_place.offset,
    cast(null as array<string>) as row_key,
    concat(final.column_name, ': ', final.finding) as finding,
    final.column_name
from final
    inner join {{ cdc.gold_tables() }}
        on final.model_name = gold_tables.model_name
{%- endif %}
