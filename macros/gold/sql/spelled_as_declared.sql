{#- Names of columns in the spelling that the model declares. MySQL, MariaDB and TiDB take names of columns that
    differ in case only for one (https://dev.mysql.com/doc/refman/8.4/en/identifier-case-sensitivity.html), and an ALTER TABLE
    may change the case: `JOB` is the column that a model calls `job`. -#}

{#- `names` and `declared`: SQL of arrays. A name that differs from a declared one in case only becomes that one; where two of
    `names` differ in nothing else, all stay as they are. -#}
{% macro spelled_as_declared(names, declared) -%}
    if(
                    {{ cdc.differ_in_more_than_case(names) }},
                    transform({{ names }}, name -> {{ cdc.declared_spelling('name', declared) }}),
                    {{ names }}
                )
{%- endmacro %}


{% macro differ_in_more_than_case(names) -%}
    size(array_distinct(transform({{ names }}, name -> lower(name)))) = size({{ names }})
{%- endmacro %}


{% macro declared_spelling(name, declared) -%}
    coalesce(get(filter({{ declared }}, declared_name -> lower(declared_name) = lower({{ name }})), 0), {{ name }})
{%- endmacro %}


{#- Does the source of a row take names that differ in case only for one column? -#}
{% macro ignores_case(relation) -%}
    {{ relation }}.source_type in ('mysql', 'mariadb', 'tidb')
{%- endmacro %}
