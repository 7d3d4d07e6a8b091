{#- Columns that the messages have and a model does not declare. With new_columns='report', the default, the test
    columns_follow_the_source reports them; with 'add' gold has them from the run on that sees them: after the declared ones, by
    name, with the type that the messages' schemas carry. Such a run rebuilds the table from silver, so that no value is missing. -#}

{#- The undeclared columns of the new changes, beside `added`, those that gold has already: name: type. The types are those
    that hold the values of all schemas so far, so that they do not depend on how runs were cut. -#}
{% macro with_columns_of_new_changes(meta, new_changes, added) -%}
    {%- set types = {} -%}
    {%- set schema_ids = new_changes.get('schema_ids') -%}
    {%- for row in (run_query(cdc.types_of_schemas(cdc.feed_settings(meta.feed).format, schema_ids)) if schema_ids else []) -%}
        {%- do types.update({row[0]: fromjson(row[1])}) -%}
    {%- endfor -%}
    {%- set columns = {} -%}
    {%- set found = new_changes.get('column_names', []) + added.keys() | list -%}
    {%- set names = found | unique(case_sensitive=true) | sort(case_sensitive=true) -%}
    {%- for name in names if (name in added or cdc.is_new_column(meta, name)) and name | lower not in columns.keys() | map('lower') -%}
        {#- a column that no schema has is text until one has it -#}
        {%- set known = [added[name]] if name in added and (added[name] != 'string' or name not in types) else [] -%}
        {%- do columns.update({name: cdc.common_type(known + types.get(name, [] if known else ['string']))}) -%}
    {%- endfor -%}
    {{ return(columns) }}
{%- endmacro %}


{% macro types_of_schemas(format, schema_ids) -%}
    select column_name, to_json(array_sort(collect_set(proposed_type)))
    from {{ ref('cdc_schemas') }}
    where
        format = {{ cdc.quoted(format) }}
        and schema_id in ({{ cdc.quoted_list(schema_ids) }})
    group by column_name
{%- endmacro %}


{#- The columns that a gold table has beside the declared ones: name: type. -#}
{% macro added_columns(meta, relation) -%}
    {%- set added = {} -%}
    {%- for column in (cdc.columns_of(relation) if relation else []) if column.name not in meta.columns and column.name != '_change' -%}
        {%- do added.update({column.name: column.type}) -%}
    {%- endfor -%}
    {{ return(added) }}
{%- endmacro %}


{#- Not declared, not left out, and with a name that a table can have. -#}
{% macro is_new_column(meta, name) -%}
    {{ return(
        name not in cdc.sources_of(cdc.column_sources(meta.columns))
        and name not in (meta.left_out or [])
        and name | lower not in cdc.taken_names(meta)
        and modules.re.fullmatch('[^ ,;{}()\n\t=]+', name) is not none
    ) }}
{%- endmacro %}


{#- The same question in SQL, for names that the model neither has nor leaves out. -#}
{% macro can_be_added(column_name, taken) -%}
    {{ column_name }} rlike r'^[^ ,;{}()\n\t=]+$' and not array_contains({{ taken }}, lower({{ column_name }}))
{%- endmacro %}


{#- In small letters: names in gold do not differ by case alone, and a name in another case may be a column that the model has
    under another name, or leaves out. -#}
{% macro taken_names(meta, added=[]) -%}
    {%- set taken = cdc.own_names() -%}
    {%- set sources = cdc.sources_of(cdc.column_sources(meta.columns)) -%}
    {%- for name in meta.columns.keys() | list + sources + (meta.left_out or []) + added -%}
        {%- do taken.append(name | lower) -%}
    {%- endfor -%}
    {{ return(taken | unique | list) }}
{%- endmacro %}


{#- The narrowest type that holds what all of these hold; text where there is no other. -#}
{% macro common_type(types) -%}
    {%- set integers = {'tinyint': 3, 'smallint': 5, 'int': 10, 'bigint': 19} -%}
    {%- set distinct = types | map('lower') | unique | list -%}
    {%- if distinct | length == 1 -%}
        {{ return(distinct[0]) }}
    {%- endif -%}
    {%- if distinct | sort == ['double', 'float'] -%}
        {{ return('double') }}
    {%- endif -%}
    {%- set digits = {'whole': 0, 'fraction': 0, 'decimals': 0} -%}
    {%- for type in distinct -%}
        {%- set decimal = modules.re.fullmatch('decimal\\((\\d+),\\s*(\\d+)\\)', type) -%}
        {%- if type in integers -%}
            {%- do digits.update({'whole': [digits.whole, integers[type]] | max}) -%}
        {%- elif decimal -%}
            {%- do digits.update({
                'whole': [digits.whole, decimal.group(1) | int - decimal.group(2) | int] | max,
                'fraction': [digits.fraction, decimal.group(2) | int] | max,
                'decimals': digits.decimals + 1
            }) -%}
        {%- else -%}
            {{ return('string') }}
        {%- endif -%}
    {%- endfor -%}
    {%- if not digits.decimals -%}
        {%- for name, width in integers.items() if width == digits.whole -%}{{ return(name) }}{%- endfor -%}
    {%- endif -%}
    {%- set precision = digits.whole + digits.fraction -%}
    {{ return('decimal(' ~ precision ~ ',' ~ digits.fraction ~ ')' if precision <= 38 else 'string') }}
{%- endmacro %}


{#- Does a gold model that reads this change table of silver add columns? -#}
{% macro adds_columns(silver) -%}
    {%- for node in cdc.gold_models() if node.config.meta.new_columns == 'add' and node.config.meta.silver == silver -%}
        {{ return(true) }}
    {%- endfor -%}
    {{ return(false) }}
{%- endmacro %}


{% macro check_new_columns(new_columns) -%}
    {%- if new_columns not in ['report', 'add'] -%}
        {{ exceptions.raise_compiler_error(
            "Gold model '" ~ model.name ~ "': new_columns is '" ~ new_columns ~ "': it is 'report' (the test columns_follow_the_source"
            ~ " names columns that the model does not have) or 'add' (gold has them at once)."
        ) }}
    {%- endif -%}
{%- endmacro %}
