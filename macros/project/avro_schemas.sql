{#- The Avro schemas that the feeds of a format list under `avro_schemas`, as a list of {file, text}: Spark decodes only
    with a schema that it knows when a statement is compiled. `files` completes the setting to a pattern of files. -#}
{% macro avro_schemas(format, files) -%}
    {%- set schemas = [] -%}
    {%- if execute -%}
        {%- set places = [] -%}
        {%- for feed in cdc.feeds_with('format', format) -%}
            {%- set place = (cdc.feed_settings(feed).get('avro_schemas') or '') | string -%}
            {%- do cdc.refuse_avro_place(feed, place) -%}
            {%- if place.rstrip('/') not in places -%}
                {%- do places.append(place.rstrip('/')) -%}
                {%- for schema in cdc.read_avro_schemas(feed, place.rstrip('/'), files) -%}
                    {%- do schemas.append(schema) -%}
                {%- endfor -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endif -%}
    {{ return(schemas) }}
{%- endmacro %}


{% macro refuse_avro_place(feed, place) -%}
    {%- if not place -%}
        {{ exceptions.raise_compiler_error(
            'Feed ' ~ feed ~ ': ' ~ cdc.feed_settings(feed).format ~ ' needs avro_schemas, where the Avro schemas of its records'
            ~ ' lie (docs/formats/' ~ cdc.feed_settings(feed).format ~ '.md).'
        ) }}
    {%- endif -%}
    {%- if not modules.re.fullmatch('[A-Za-z0-9_./-]+', place) -%}
        {{ exceptions.raise_compiler_error(
            'Feed ' ~ feed ~ ': avro_schemas must be a path of letters, digits, _ . - and /, but it is ' ~ place ~ '.'
        ) }}
    {%- endif -%}
{%- endmacro %}


{% macro read_avro_schemas(feed, place, files) -%}
    {#- a pattern that matches nothing ends in an error of Spark: the project's own file always matches -#}
    {%- set pattern = '{' ~ cdc.absolute_path('dbt_project.yml')[1:] ~ ',' ~ cdc.absolute_path(place)[1:] ~ files ~ '}' -%}
    {%- set found = run_query(
        "select path, cast(content as string) from binaryFile.`/" ~ pattern ~ "` where path like '%.avsc' order by path"
    ) -%}
    {%- if not found.rows -%}
        {{ exceptions.raise_compiler_error(
            'Feed ' ~ feed ~ ': avro_schemas is ' ~ place ~ ', but there is no ' ~ cdc.absolute_path(place) ~ files
            ~ ': put the Avro schemas of its records there (docs/formats/' ~ cdc.feed_settings(feed).format ~ '.md).'
        ) }}
    {%- endif -%}
    {%- set schemas = [] -%}
    {%- for row in found.rows -%}
        {%- set file = place ~ ('/' ~ row[0].split('/')[-1] if files else '') -%}
        {%- do cdc.refuse_no_avro_schema(feed, file, row[1]) -%}
        {%- do schemas.append({'file': file, 'text': row[1]}) -%}
    {%- endfor -%}
    {{ return(schemas) }}
{%- endmacro %}


{% macro refuse_no_avro_schema(feed, file, text) -%}
    {%- set schema = fromjson(text, {}) -%}
    {%- if schema is mapping and schema.type != 'record' and schema.schema is string -%}
        {{ exceptions.raise_compiler_error(
            'Feed ' ~ feed ~ ': ' ~ file ~ ' holds the answer of a schema registry: put the text alone there that its member schema is.'
        ) }}
    {%- endif -%}
    {%- if schema is not mapping or schema.type != 'record' or schema.fields is not sequence -%}
        {{ exceptions.raise_compiler_error(
            'Feed ' ~ feed ~ ': ' ~ file ~ ' is not the JSON text of an Avro schema of a record: correct or remove it.'
        ) }}
    {%- endif -%}
{%- endmacro %}
