{#- Rows of silver that a model with this mark has not read, up to the version that it can read in this run; all where it is
    rebuilt. -#}
{% macro is_newer_than(mark) -%}
    bronze_version > {{ mark.version if mark else -1 }}{{ ' and bronze_version <= ' ~ cdc.readable_version() if cdc.lakehouse_run() }}
{%- endmacro %}


{#- The bronze version up to which the model can read in this run: bronze's own; of a model that is made from silver, that to
    which every format in use has come. -#}
{% macro readable_version() -%}
    {%- set run = cdc.lakehouse_run() -%}
    {%- if model.name.endswith('_changes') -%}
        {{ return(run.bronze_version) }}
    {%- endif -%}
    {%- set versions = [] -%}
    {%- for format in cdc.formats_in_use() -%}
        {%- set mark = run.applied.get(format ~ '_changes') -%}
        {%- if not mark -%}
            {{ exceptions.raise_compiler_error(
                model.name ~ ' is made from all of silver, of which ' ~ format ~ '_changes was not built yet: run `dbt run` once without'
                ~ ' a selection, or `dbt build`.'
            ) }}
        {%- endif -%}
        {%- do versions.append(mark.version) -%}
    {%- endfor -%}
    {{ return(versions | min) }}
{%- endmacro %}


{#- Schemas that silver.schemas, unless it is rebuilt, does not hold of this format: two formats may write the same text. -#}
{% macro is_new_schema(table, format, mark) -%}
    {%- if mark -%}
        schema_id not in (select known.schema_id from {{ table }} as known where known.format = {{ cdc.quoted(format) }})
    {%- else -%}
        true
    {%- endif -%}
{%- endmacro %}
