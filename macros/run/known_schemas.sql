{#- What silver.schemas has of a format: the schema ids, the columns that a schema encodes, whether there are comments. Asked for
    all formats at once, and remembered for later runs, while the table stays as it is. -#}
{% macro schemas_of_format(format) -%}
    {%- set known = cdc.lakehouse_run().known -%}
    {%- if 'cdc_schemas' not in known -%}
        {#- the model of the table compares what is remembered with all new changes, and asks where that does not suffice -#}
        {%- set text = cdc.remembered_text('#cdc_schemas', cdc.build_of_schemas()) if model.name == 'cdc_schemas' or cdc.is_settled('cdc_schemas') -%}
        {%- do known.update({'cdc_schemas': fromjson(text) if text else cdc.asked_schemas()}) -%}
    {%- endif -%}
    {{ return(known.cdc_schemas.get(format, {'schema_ids': [], 'coded_columns': [], 'has_comments': false})) }}
{%- endmacro %}


{% macro asked_schemas() -%}
    {%- set schemas = {} -%}
    {%- for row in run_query(cdc.schemas_by_format()) -%}
        {%- do schemas.update({row[0]: {
            'schema_ids': fromjson(row[1]), 'coded_columns': fromjson(row[2]), 'has_comments': row[3] | int > 0
        }}) -%}
    {%- endfor -%}
    {%- if cdc.lakehouse_run() and (model.name == 'cdc_schemas' or cdc.is_settled('cdc_schemas')) -%}
        {%- do cdc.remember_text('#cdc_schemas', cdc.build_of_schemas(), tojson(schemas)) -%}
    {%- endif -%}
    {{ return(schemas) }}
{%- endmacro %}


{% macro build_of_schemas() -%}
    {{ return(cdc.lakehouse_run().applied.get('cdc_schemas', {}).get('built_by', '')) }}
{%- endmacro %}


{% macro is_encoded() -%}
    wire_encoding not in ('text', 'zoned_wall_clock')
{%- endmacro %}


{% macro schemas_by_format() -%}
    select
        format,
        to_json(array_sort(collect_set(schema_id))) as schema_ids,
        to_json(array_sort(collect_set(array(column_name, wire_encoding)) filter (where {{ cdc.is_encoded() }}))) as coded_columns,
        count_if(comment <> '') as comments
    from {{ cdc.silver_relation('schemas') }}
    group by format
{%- endmacro %}


{#- Asks again before it returns true: a run that was killed may have written them. -#}
{% macro has_unknown_schemas(format, schema_ids) -%}
    {%- set unknown = schema_ids | reject('in', cdc.schemas_of_format(format).schema_ids) | list -%}
    {%- if unknown -%}
        {%- do cdc.lakehouse_run().known.update({'cdc_schemas': cdc.asked_schemas()}) -%}
        {%- set unknown = schema_ids | reject('in', cdc.schemas_of_format(format).schema_ids) | list -%}
    {%- endif -%}
    {{ return(unknown != []) }}
{%- endmacro %}
