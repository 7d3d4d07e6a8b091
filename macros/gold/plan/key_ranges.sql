{#- Where in a large table the rows lie that a run's changes may change, so that its merge reads these places alone: the column, and
    conditions on it, one of which each such row meets, or has NULL there; none where the merge has to look everywhere. `latest`: the
    model's select.
    Up to 32 ranges of values of the first column of the key that has an order; the values themselves where they are at most 10,000, by
    which Spark leaves out all other rows before it joins them. A merge finds a row by its row_key, and may look for it by
    the value of that column only as long as the value is what the row_key says, or NULL. Whether it is in all rows, is asked once of the
    table, and of a run's changes before they are merged; the table's property cdc.keys_are_values has the answer. -#}
{% macro key_ranges(latest, plan) -%}
    {%- set column = cdc._column_with_ranges() if model.config.meta.large and cdc.has_few_changes(plan) -%}
    {%- if not column or not cdc._keys_are_values(column) -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set ranges = [] -%}
    {%- for keys, others in run_query(cdc._ranges_of_changes(latest, column)) -%}
        {%- if others -%}
            {%- do cdc._note_whether_keys_are_values(false) -%}
            {{ return(none) }}
        {%- endif -%}
        {%- do ranges.append(fromjson(keys)) -%}
    {%- endfor -%}
    {%- set most = 10000 -%}
    {%- set are_few = ranges | map('length') | sum <= most -%}
    {%- set conditions = [] -%}
    {%- for keys in ranges if keys -%}
        {%- do conditions.append(cdc._among(keys, column.type) if are_few else cdc._between(keys, column.type)) -%}
    {%- endfor -%}
    {{ return({'column': column.name, 'conditions': conditions}) }}
{%- endmacro %}


{#- Are the changes of a run few beside a large table, so that it pays to look at them before they are merged? -#}
{% macro has_few_changes(plan) -%}
    {{ return(plan.new_changes.get('row_changes', 0) <= 100000) }}
{%- endmacro %}


{#- The first column of the key whose values have an order, as {name, type, value}: `value` is what a row_key says of it. None where there
    is none. -#}
{% macro _column_with_ranges() -%}
    {%- set meta = model.config.meta -%}
    {%- set sources = cdc.column_sources(meta.columns) -%}
    {%- set values = cdc.values_of_key('_change.row_key', meta, {}) -%}
    {%- for name in meta.key if name in values and cdc._has_ranges(sources[name].type | lower) -%}
        {{ return({'name': cdc.identifier(name), 'type': sources[name].type | lower, 'value': values[name]}) }}
    {%- endfor -%}
    {{ return(none) }}
{%- endmacro %}


{% macro _has_ranges(type) -%}
    {{ return(type in ('bigint', 'int', 'smallint', 'tinyint', 'date', 'timestamp', 'timestamp_ntz') or type.startswith('decimal(')) }}
{%- endmacro %}


{% macro _keys_are_values(column) -%}
    {%- set noted = run_query("show tblproperties " ~ this ~ " ('cdc.keys_are_values')").columns[1].values()[0] -%}
    {%- if noted not in ('true', 'false') -%}
        {%- set others = run_query(
            'select 1 from ' ~ this ~ ' where ' ~ column.name ~ ' is not null and not ' ~ column.name ~ ' <=> ' ~ column.value ~ ' limit 1'
        ) -%}
        {%- set noted = 'false' if others else 'true' -%}
        {%- do cdc._note_whether_keys_are_values(noted == 'true') -%}
    {%- endif -%}
    {{ return(noted == 'true') }}
{%- endmacro %}


{% macro _note_whether_keys_are_values(found) -%}
    {%- do run_query('alter table ' ~ this ~ " set tblproperties ('cdc.keys_are_values' = '" ~ (found | lower) ~ "')") -%}
{%- endmacro %}


{#- The keys of each range as JSON, in order, and how many rows of it have another value than their row_key says. From the
    first key to the last there are 64 places of equal width: ranges end where places are empty, so that a few old keys do not stretch
    the range of many new ones, and keys that lie everywhere have one range. -#}
{% macro _ranges_of_changes(latest, column) -%}
    with latest as (

    {{ latest }}

    ),

    keys as (

        select
            {{ column.value }} as key,
            not _is_deleted and {{ column.name }} is not null and not {{ column.name }} <=> {{ column.value }} as is_other
        from latest

    ),

    numbered as (

        select
            *,
            {{ cdc._as_number('key', column.type) }} as number
        from keys

    ),

    placed as (

        select
            *,
            floor(63 * (number - min(number) over ()) / nullif(max(number) over () - min(number) over (), 0)) as place
        from numbered

    ),

    -- places without a gap between them have one number
    in_ranges as (

        select
            *,
            place - dense_rank() over (order by place) as range_number
        from placed

    )

    select
        to_json(transform(array_sort(collect_set(key)), key -> cast(key as string))) as keys,
        count_if(is_other) as others
    from in_ranges
    group by range_number
    order by range_number
{%- endmacro %}


{% macro _as_number(value, type) -%}
    {%- if type == 'date' -%}
        double(unix_date({{ value }}))
    {%- elif type in ('timestamp', 'timestamp_ntz') -%}
        double(unix_micros(timestamp({{ value }})))
    {%- else -%}
        double({{ value }})
    {%- endif -%}
{%- endmacro %}


{% macro _among(keys, type) -%}
in (
                {%- for line in cdc._literals(keys, type) | batch(20) %}
                {{ line | join(', ') }}{{ ',' if not loop.last }}
                {%- endfor %}
            )
{%- endmacro %}


{% macro _between(keys, type) -%}
between {{ cdc._literals([keys[0], keys[-1]], type) | join(' and ') }}
{%- endmacro %}


{#- Values as Spark has written them, as literals of their type: Delta looks for files by literals alone. -#}
{% macro _literals(texts, type) -%}
    {%- set suffixes = {'bigint': 'L', 'int': '', 'smallint': 'S', 'tinyint': 'Y'} -%}
    {%- set before = '' if type in suffixes or type.startswith('decimal(') else type ~ " '" -%}
    {%- set after = suffixes.get(type, 'BD' if type.startswith('decimal(') else "'") -%}
    {%- set literals = [] -%}
    {%- for text in texts -%}
        {%- do literals.append(before ~ text ~ after) -%}
    {%- endfor -%}
    {{ return(literals) }}
{%- endmacro %}
