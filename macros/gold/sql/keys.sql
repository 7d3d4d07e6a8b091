{#- What gold compares of a key. Silver's `row_key` has the texts of the messages, and one producer may write one value in two
    ways: 1 and 1.0, an instant in two zones, hexadecimal digits in either case, bytes with and without the zeros at their
    end, a label by its number before and after the list of labels has changed. Where the declared type or the encoding of a
    key column knows such values, gold's `row_key` has one text for each value; a text that has no exact value of the type
    stays as it is. So do whole numbers and texts that are written plainly: newest_change_wins reports where two of these
    may be one key. -#}

{#- A key of silver as gold has it: the names of its shard, then what declared_key makes of its values. -#}
{% macro gold_key(relation, declaration=none, column='row_key') -%}
    {%- set key = cdc.declared_key(relation, column, declaration) -%}
    {%- if cdc.shard_parts(declaration) -%}
    concat({{ cdc.shard_of(relation, declaration) }}, {{ key }})
    {%- else -%}
    {{ key }}
    {%- endif -%}
{%- endmacro %}


{#- The same as a column of a select. -#}
{% macro gold_key_column(relation, column='row_key', declaration=none) -%}
    {{ cdc.as_column(cdc.gold_key(relation, declaration, column), column) }}
{%- endmacro %}


{#- Does a key name a row? One with NULL in it does not: a unique key takes any number of rows that have NULL there. NULL where
    there is no key. -#}
{% macro names_a_row(key) -%}
    not exists({{ key }}, key_part -> key_part is null)
{%- endmacro %}


{#- A key of silver with its values in the order that the model declares, each as the text that gold compares. A message lists
    them in an order of its own, which an ALTER of the source may change. A key of other columns than the declared ones
    stays as the message has it: the test key_is_the_sources_key reports it. -#}
{% macro declared_key(relation, column, declaration) -%}
    {%- set key = cdc.source_key(declaration or model.config.meta) -%}
    {%- set forms = cdc.forms_of_key(declaration) -%}
    {%- set columns = relation ~ '.key_columns' -%}
    {%- set row_key = relation ~ '.' ~ column -%}
    {%- if key | length > 1 -%}
    case
                when
                    {{ row_key }} is not null
                    {%- if not forms %}
                    and {{ columns }} <> array({{ cdc.quoted_list(key) }})
                    {%- endif %}
                    and sort_array({{ columns }}) = array({{ cdc.quoted_list(key | sort(case_sensitive=true)) }})
                    then array(
                        {%- for name in key %}
                        {%- set text = 'get(' ~ row_key ~ ', cast(array_position(' ~ columns ~ ', ' ~ cdc.quoted(name) ~ ') as int) - 1)' %}
                        {{ cdc.one_form('array(' ~ text ~ ')', forms[name]) ~ '[0]' if name in forms else text }}{{ ',' if not loop.last }}
                        {%- endfor %}
                    )
                else {{ row_key }}
            end
    {%- elif forms -%}
    if(
                {{ columns }} = array({{ cdc.quoted_list(key) }}),
                {{ cdc.one_form(row_key, forms[key[0]]) }},
                {{ row_key }}
            )
    {%- else -%}
    {{ row_key }}
    {%- endif -%}
{%- endmacro %}


{#- Texts of a key column, each in the one form of its value. `form` is one of forms_of_key. The analyzer resolves nested
    lambdas one by one, and takes a hundred rounds for a statement: as few as can be. -#}
{% macro one_form(texts, form) -%}
    transform(
                            {{ texts }},
                            key_text -> coalesce(
                                {%- if form.wire %}
                                transform(
                                    array({{ cdc.canonical_text('key_text', form.wire, form.encodings, form.time_zone) }}),
                                    value_text -> {{ cdc.text_of_value('value_text', form.type, form.time_zone) }}
                                )[0],
                                {%- else %}
                                {{ cdc.text_of_value('key_text', form.type, form.time_zone) }},
                                {%- endif %}
                                key_text
                            )
                        )
{%- endmacro %}


{#- The key columns whose values may be written in several ways, by their names in the messages; none for most tables.
    type:         as declared
    wire:         SQL that has the encoding; none where all texts are plain
    encodings:    those that occur and are decoded; the texts of others stay as they are
    schemas_as:   what silver.schemas is called, where it has the encoding
    time_zone:    the feed's -#}
{% macro forms_of_key(declaration=none) -%}
    {%- set meta = declaration or model.config.meta -%}
    {%- set forms = {} -%}
    {%- if meta.key -%}
    {%- set coded = cdc.coded_columns(cdc.feed_settings(meta.feed).format, asks=declaration is not none) or {} -%}
    {%- set declared = cdc.encodings_of_table(meta) -%}
    {%- for name, column in cdc.column_sources(meta.columns).items()
        if name in meta.key and column.get('source', name) not in cdc.shard_columns() and not (column.type | lower).startswith('array')
    -%}
        {%- set source = column.get('source', name) -%}
        {%- set form = {'type': column.type | lower | replace(' ', ''), 'time_zone': cdc.gold_time_zone(meta.feed)} -%}
        {%- set named = [declared[source].split('(')[0] | trim] if source in declared else coded.get(source | lower, []) -%}
        {%- set encoded = named | reject('in', ['text', 'zoned_wall_clock']) | list -%}
        {%- set encodings = encoded | select('in', cdc.encodings_with_forms(form.type)) | list -%}
        {%- if encoded and source in declared -%}
            {%- do form.update({'wire': cdc.wire_of_setting(declared[source]), 'encodings': encodings}) -%}
        {%- elif encoded -%}
            {%- set schemas = 'type_of_key_' ~ loop.index -%}
            {%- do form.update({'wire': schemas, 'encodings': encodings, 'schemas_as': schemas}) -%}
        {%- endif -%}
        {#- a plain text of these types has forms as well, but where the feed says that no text of the column is plain -#}
        {%- if encodings or form.type not in cdc.plain_types() and not (encoded and source in declared) -%}
            {%- do forms.update({source: form}) -%}
        {%- endif -%}
    {%- endfor -%}
    {%- endif -%}
    {{ return(forms) }}
{%- endmacro %}


{#- The key columns whose texts depend on a scale, as in forms_of_key: decimals in base64, which gold compares as they are written. -#}
{% macro scaled_columns_of_key(declaration) -%}
    {%- set coded = cdc.coded_columns(cdc.feed_settings(declaration.feed).format, asks=true) or {} -%}
    {%- set declared = cdc.encodings_of_table(declaration) -%}
    {%- set scaled = {} -%}
    {%- for source in cdc.source_key(declaration) -%}
        {%- set named = [declared[source].split('(')[0] | trim] if source in declared else coded.get(source | lower, []) -%}
        {%- set encodings = named | select('in', ['connect_decimal', 'variable_scale_decimal']) | list -%}
        {%- if encodings and source in declared -%}
            {%- do scaled.update({source: {'wire': cdc.wire_of_setting(declared[source]), 'encodings': encodings}}) -%}
        {%- elif encodings -%}
            {%- set schemas = 'scale_of_key_' ~ loop.index -%}
            {%- do scaled.update({source: {'wire': schemas, 'encodings': encodings, 'schemas_as': schemas}}) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(scaled) }}
{%- endmacro %}


{#- The values of a gold key as gold's columns have them: expressions by the names of these. `scaled`: what scaled_columns_of_key returns. -#}
{% macro values_of_key(row_key, declaration, scaled) -%}
    {%- set columns = cdc.column_sources(declaration.columns) -%}
    {%- set time_zone = cdc.gold_time_zone(declaration.feed) -%}
    {%- set values = {} -%}
    {%- for source in cdc.source_key(declaration) -%}
    {%- set text = row_key ~ '[' ~ (cdc.shard_parts(declaration) | length + loop.index0) ~ ']' -%}
    {%- for name, column in columns.items() if name in declaration.key and column.get('source', name) == source -%}
        {%- do values.update({name: cdc.typed(
            cdc.canonical_text(text, scaled[source].wire, scaled[source].encodings, time_zone) if source in scaled else text,
            column.type, time_zone, source in scaled
        )}) -%}
    {%- endfor -%}
    {%- endfor -%}
    {{ return(values) }}
{%- endmacro %}


{#- Types whose plain texts a producer writes in one way. -#}
{% macro plain_types() -%}
    {{ return(['string', 'bigint', 'int', 'smallint', 'tinyint']) }}
{%- endmacro %}


{#- Encodings that may write one value of a type in several ways, each alone or beside another that the source's column may
    change to: a time of day counted in milliseconds and in microseconds. A Decimal in base64 is written in one, as long as its
    scale stays. Other tables may have columns of the same names: an encoding that gives no value of the type is one of these. -#}
{% macro encodings_with_forms(type) -%}
    {%- set labels = ['enum_number', 'set_mask', 'escaped_label'] -%}
    {%- set numbers = [
        'wrapped_unsigned_8', 'wrapped_unsigned_16', 'wrapped_unsigned_24', 'wrapped_unsigned_32', 'wrapped_unsigned_64',
        'little_endian_bits', 'big_endian_bits', 'dtle_year'
    ] -%}
    {%- set bytes = ['base64_binary', 'hex_binary', 'latin1_binary', 'byte_list', 'go_quoted_binary'] -%}
    {%- set moments = [
        'epoch_days', 'epoch_millis', 'epoch_micros', 'epoch_nanos', 'epoch_seconds', 'iso_date', 'iso_timestamp', 'instant_millis',
        'located_wall_clock', 'dtle_timestamp'
    ] -%}
    {%- set times_of_day = ['millis_of_day', 'micros_of_day', 'nanos_of_day', 'iso_time'] -%}
    {%- if type == 'string' -%}
        {{ return(labels + numbers + bytes + moments + times_of_day + ['base64_text', 'latin1_text']) }}
    {%- elif type == 'binary' -%}
        {{ return(bytes) }}
    {%- elif type in ('date', 'timestamp', 'timestamp_ntz') -%}
        {{ return(moments) }}
    {%- else -%}
        {#- labels may be numbers -#}
        {{ return(labels + numbers) }}
    {%- endif -%}
{%- endmacro %}


{#- By the messages' schemas, the encodings of the key columns that `declared_key` decodes. -#}
{% macro join_types_of_key(relation, declaration=none) -%}
    {%- set meta = declaration or model.config.meta -%}
    {%- for source, form in cdc.forms_of_key(declaration).items() if form.schemas_as %}
            left join {{ cdc.silver_relation('schemas') }} as {{ form.schemas_as }}
                on
                    {{ form.schemas_as }}.format = {{ cdc.quoted(cdc.feed_settings(meta.feed).format) }}
                    and {{ form.schemas_as }}.schema_id = {{ relation }}.schema_id
                    and {{ form.schemas_as }}.column_name = {{ cdc.quoted(source) }}
    {%- endfor -%}
{%- endmacro %}


{#- A key of gold without what a producer may add or leave out, and no type shows: zeros at the end of bytes, blanks at the
    end of a text, zeros in front of a number. Two keys that differ in nothing else may be one. `scaled`: what scaled_columns_of_key
    returns, whose texts are no numbers. -#}
{% macro key_without_padding(row_key, declaration, scaled) -%}
    {%- set types = {} -%}
    {%- for name, column in cdc.column_sources(declaration.columns).items() -%}
        {%- do types.update({column.get('source', name): column.type | lower | trim}) -%}
    {%- endfor -%}
    concat(
                {{ cdc.shard_of_key(row_key, declaration) }},
                array(
                    {%- for source in cdc.source_key(declaration) %}
                    {%- set text = row_key ~ '[' ~ (cdc.shard_parts(declaration) | length + loop.index0) ~ ']' %}
                    {%- if types[source] == 'binary' %}
                    regexp_replace({{ text }}, '(00)+$', '')
                    {%- elif types[source] == 'string' %}
                    rtrim({{ text }})
                    {%- elif types[source] in cdc.plain_types() and source not in scaled %}
                    coalesce(cast(try_cast({{ text }} as bigint) as string), {{ text }})
                    {%- else %}
                    {{ text }}
                    {%- endif %}
                    {{- ',' if not loop.last }}
                    {%- endfor %}
                )
            )
{%- endmacro %}
