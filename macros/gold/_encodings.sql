{#- How the values of these columns are encoded, by the feed's `encodings` and all schemas; none where that is not known.
    Most tables of formats that write plain text have no encodings, and then do not look for types. -#}
{% macro encodings_of_columns(feed_name, sources) -%}
    {%- set coded = cdc.coded_columns(cdc.feed_settings(feed_name).format) -%}
    {%- if coded is none -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set encodings = [] -%}
    {%- for told in cdc.encodings_of_table().values() -%}
        {%- do encodings.append(told.split('(')[0] | trim) -%}
    {%- endfor -%}
    {%- for name, column in sources.items() -%}
        {%- do encodings.extend(coded.get(column.get('source', name), [])) -%}
    {%- endfor -%}
    {{ return(encodings) }}
{%- endmacro %}


{#- The columns of a model whose texts are decoded, by the feed's `encodings` or some schema; all where that is not known. -#}
{% macro decoded_columns(feed_name, sources) -%}
    {%- set coded = cdc.coded_columns(cdc.feed_settings(feed_name).format) -%}
    {%- set told = cdc.encodings_of_table() -%}
    {%- set decoded = [] -%}
    {%- for name, column in sources.items() -%}
        {%- set source = column.get('source', name) -%}
        {%- if coded is none or source in coded or source in told -%}
            {%- do decoded.append(name) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(decoded) }}
{%- endmacro %}


{#- The columns that some schema of the format encodes, with the encodings; none where that is not known (compile, docs). With
    `asks` the table is asked outside a run, too, as explain_row needs it. -#}
{% macro coded_columns(format, asks=false) -%}
    {%- set run = cdc.lakehouse_run() -%}
    {%- if not execute or not (run or asks) -%}
        {{ return(none) }}
    {%- endif -%}
    {%- if 'schemas' not in run.get('known', {}) and not load_relation(cdc.silver_of({'silver': 'schemas'})) -%}
        {{ return(none) }}
    {%- endif -%}
    {%- set schemas = cdc.schemas_of_format(format) if run else cdc.asked_schemas().get(format, {'coded_columns': []}) -%}
    {%- if 'by_column' not in schemas -%}
        {%- set coded = {} -%}
        {%- for column, encoding in schemas.coded_columns -%}
            {%- do coded.setdefault(column, []).append(encoding) -%}
        {%- endfor -%}
        {%- do schemas.update({'by_column': coded}) -%}
    {%- endif -%}
    {{ return(schemas.by_column) }}
{%- endmacro %}


{% macro is_encoded() -%}
    wire_encoding not in ('text', 'zoned_wall_clock')
{%- endmacro %}


{% macro encodings_of_table(declaration=none) -%}
    {%- set meta = declaration or model.config.meta -%}
    {{ return((cdc.feed_settings(meta.feed).get('encodings') or {}).get(cdc.place_of(meta), {})) }}
{%- endmacro %}


{#- Each value as the text a person would write, by the feed's `encodings`, else by what its schema tells of it. -#}
{% macro canonical_texts(encodings) -%}
        select
            * except (_image, _wires),
            map_zip_with(
                _image,
                {{ cdc.wires_with_settings() }},
                (column_name, wire_text, wire) -> {{ cdc.canonical_text(
                    'wire_text', 'wire', encodings, cdc.gold_time_zone(model.config.meta.feed)
                ) }}
            ) as _image
        from latest
{%- endmacro %}


{#- What the messages' schemas tell of the columns that are not written as plain text. -#}
{% macro wires_of_schemas() -%}
        select
            schema_id,
            map_from_entries(collect_list(struct(column_name, struct(wire_encoding, scale, labels)))) as wires
        from {{ ref('cdc_schemas') }}
        where
            format = {{ cdc.quoted(cdc.feed_settings(model.config.meta.feed).format) }}
            and {{ cdc.is_encoded() }}
        group by schema_id
{%- endmacro %}


{% macro wires_with_settings() -%}
    {%- set told = cdc.encodings_of_table() -%}
    {%- if told -%}
        map_zip_with(
                    {{ cdc.known_wires() }},
                    map(
                        {%- for column, encoding in told.items() %}
                        {{ cdc.quoted(column) }}, {{ cdc.wire_of_setting(encoding) }}{{ ',' if not loop.last }}
                        {%- endfor %}
                    ),
                    (column_name, wire, wire_of_setting) -> coalesce(wire_of_setting, wire)
                )
    {%- else -%}
        {{ cdc.known_wires() }}
    {%- endif -%}
{%- endmacro %}


{% macro known_wires() -%}
    coalesce(_wires, cast(map() as map<string, struct<wire_encoding: string, scale: int, labels: array<string>>>))
{%- endmacro %}


{#- `epoch_days`, or with the number that the encoding needs: `connect_decimal(2)`. -#}
{% macro wire_of_setting(told) -%}
    {%- set parts = told.rstrip(')').split('(') -%}
    named_struct(
                            'wire_encoding', {{ cdc.quoted(parts[0] | trim) }},
                            'scale', cast({{ parts[1] | int if parts | length > 1 else 'null' }} as int),
                            'labels', cast(null as array<string>)
                        )
{%- endmacro %}


{% macro gold_time_zone(name) -%}
    {{ cdc.feed_settings(name).time_zone or 'UTC' }}
{%- endmacro %}
