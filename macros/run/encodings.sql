{#- How the values of these columns are encoded, by the feed's `encodings` and all schemas; none where that is not known.
    Most tables of formats that write plain text have no encodings, and then do not look for types. -#}
{% macro encodings_of_columns(feed_name, sources) -%}
    {%- set coded = cdc.coded_columns(cdc.feed_settings(feed_name).format) -%}
    {%- if coded is none -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set encodings = [] -%}
    {%- for encoding in cdc.encodings_of_table().values() -%}
        {%- do encodings.append(encoding.split('(')[0] | trim) -%}
    {%- endfor -%}
    {%- for name, column in sources.items() -%}
        {%- do encodings.extend(coded.get(column.get('source', name) | lower, [])) -%}
    {%- endfor -%}
    {{ return(encodings) }}
{%- endmacro %}


{#- The columns of the messages that a model reads and whose texts are decoded, by the feed's `encodings` or some schema; all
    where that is not known. -#}
{% macro decoded_columns(feed_name, sources) -%}
    {%- set coded = cdc.coded_columns(cdc.feed_settings(feed_name).format) -%}
    {%- set declared = cdc.encodings_of_table() -%}
    {%- set decoded = [] -%}
    {%- for name, column in sources.items() -%}
        {%- set source = column.get('source', name) -%}
        {%- if (coded is none or source | lower in coded or source in declared) and source not in decoded -%}
            {%- do decoded.append(source) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(decoded) }}
{%- endmacro %}


{#- The columns that some schema of the format encodes, with the encodings; none where that is not known (compile, docs). Their
    names are in small letters: a schema may spell a column in another case than the model. With `asks` the table is asked outside a
    run, too, as explain_row needs it. -#}
{% macro coded_columns(format, asks=false) -%}
    {%- set run = cdc.lakehouse_run() -%}
    {%- if not execute or not (run or asks) -%}
        {{ return(none) }}
    {%- endif -%}
    {%- if 'cdc_schemas' not in run.get('known', {}) and not load_relation(cdc.silver_relation('schemas')) -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set schemas = cdc.schemas_of_format(format) if run else cdc.asked_schemas().get(format, {'coded_columns': []}) -%}
    {%- if 'by_column' not in schemas -%}
        {%- set coded = {} -%}
        {%- for column, encoding in schemas.coded_columns -%}
            {%- do coded.setdefault(column | lower, []).append(encoding) -%}
        {%- endfor -%}
        {%- do schemas.update({'by_column': coded}) -%}
    {%- endif -%}
    {{ return(schemas.by_column) }}
{%- endmacro %}


{% macro encodings_of_table(declaration=none) -%}
    {%- set meta = declaration or model.config.meta -%}
    {%- set encodings = {} -%}
    {%- for of_columns in cdc.settings_of_table('encodings', meta).values() -%}
        {%- do encodings.update(of_columns) -%}
    {%- endfor -%}
    {{ return(encodings) }}
{%- endmacro %}


{% macro gold_time_zone(name) -%}
    {{ cdc.feed_settings(name).time_zone or 'UTC' }}
{%- endmacro %}
