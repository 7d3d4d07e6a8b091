{#- The Kafka key of a change, as a later record without a value has it: the key of the contract, unless the feed names keys of tables,
    which may be others. Then the columns of Kafka's key are in the image. Of a row alone, which the test of records without a
    value asks for; see join_kafka_keys. -#}
{% macro kafka_key(relation, declaration) -%}
    {%- if cdc._names_keys(declaration) -%}
    case
                when {{ relation }}.operation = 'tombstone' then {{ relation }}.row_key
                else transform(kafka_keys.key_columns, column_name -> {{ relation }}.after_image[column_name])
            end
    {%- else -%}
    {{ relation }}.row_key
    {%- endif -%}
{%- endmacro %}


{#- Which columns are in the Kafka keys of a topic, as its unchecked records without a value show: joined for kafka_key. -#}
{% macro join_kafka_keys(relation, silver, declaration) -%}
    {%- if cdc._names_keys(declaration) %}
            left join (
                select distinct
                    feed,
                    topic,
                    key_columns
                from {{ silver }}
                where
                    operation = 'tombstone'
                    and row_key is not null
                    and {{ cdc.is_unchecked() }}
            ) as kafka_keys
                on
                    {{ relation }}.feed = kafka_keys.feed
                    and {{ relation }}.topic = kafka_keys.topic
    {%- endif -%}
{%- endmacro %}


{% macro _names_keys(declaration) -%}
    {{ return(true if (cdc.feeds().get(declaration.feed) or {}).key_columns else false) }}
{%- endmacro %}
