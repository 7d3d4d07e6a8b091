{#- What TiCDC says of a table's columns: `mysqlType`, column name to type, with the sign. Values are written as Canal
    does. Surprise: length, scale and labels are there only with content-compatible = true. -#}

{% macro canal_json_ticdc_columns(schemas) -%}
    with as_of_canal as (

        {{ cdc.canal_json_columns(schemas) }}

    )

    select
        schema_id,
        column_name,
        ordinal,
        source_type,
        case
            when wire_encoding = 'latin1_text' then 'text'
            when source_type not like '%(%' and wire_encoding in ('enum_number', 'set_mask') then 'text'
            else wire_encoding
        end as wire_encoding,
        case when source_type like '%(%' then scale end as scale,
        case when source_type like '%(%' then labels end as labels,
        is_optional,
        comment,
        case
            when source_type like '%(%' then proposed_type
            when proposed_type like 'decimal(10,%' then 'string'
            when lower(source_type) like 'bit%' then 'decimal(20,0)'
            else proposed_type
        end as proposed_type
    from as_of_canal
{%- endmacro %}
