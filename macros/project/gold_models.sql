{#- The nodes of the models that make gold tables. -#}
{% macro gold_models() -%}
    {%- set nodes = graph.nodes.values() | selectattr('config.materialized', 'in', ['current_state', 'current_rows']) | list -%}
    {%- for node in nodes if not node.config.meta.columns -%}
        {%- do cdc.complete_declaration(node) -%}
    {%- endfor -%}
    {{ return(nodes) }}
{%- endmacro %}


{#- The same of histories, which declare as gold models do. -#}
{% macro histories() -%}
    {%- set nodes = [] -%}
    {%- for node in graph.nodes.values()
        if node.resource_type == 'model' and (node.config.meta.silver or node.config.meta.of)
        and node.config.materialized not in ['current_state', 'current_rows']
    -%}
        {%- do cdc.complete_declaration(node) -%}
        {%- do nodes.append(node) -%}
    {%- endfor -%}
    {{ return(nodes) }}
{%- endmacro %}


{#- Refuses models that would share what is kept by a name: how far each has come by the model's (mark_of_gold_model), which versions of a
    model have in common, and the deletes by the table's, whatever its schema (state_of). Spark writes all names in lower case. -#}
{% macro refuse_shared_names() -%}
    {%- set models = {} -%}
    {%- set tables = {} -%}
    {%- for node in graph.nodes.values() if node.resource_type == 'model' and (node.config.meta.silver or node.config.meta.of) -%}
        {%- if node.name in models -%}
            {{ exceptions.raise_compiler_error(
                models[node.name] ~ ' and ' ~ node.original_file_path ~ " are both the model '" ~ node.name ~ "', and what is kept of one would"
                ~ ' count for the other: give each a name of its own, without `versions` in its YAML.'
            ) }}
        {%- endif -%}
        {%- do models.update({node.name: node.original_file_path}) -%}
        {%- set other = tables.get(node.alias | lower) -%}
        {%- if node.config.materialized in ['current_state', 'current_rows'] -%}
            {%- if other -%}
                {{ exceptions.raise_compiler_error(
                    "Gold models '" ~ other ~ "' and '" ~ node.name ~ "' both make a table called " ~ node.alias ~ ', whose deletes would be kept'
                    ~ ' in one place, whatever their schemas: give one of them another name, or another alias.'
                ) }}
            {%- endif -%}
            {%- do tables.update({node.alias | lower: node.name}) -%}
        {%- endif -%}
    {%- endfor -%}
{%- endmacro %}


{#- What a model declares becomes whole in its node: columns that its call does not name are those of its YAML, and a history `of` a gold
    model has that one's table, key and columns. dbt knows both only once it has parsed all files. -#}
{% macro complete_declaration(node) -%}
    {%- set meta = node.config.meta -%}
    {%- set declared = {'columns': meta.columns or cdc.columns_in_yaml(node)} -%}
    {%- if meta.of and not meta.feed -%}
        {%- set gold = cdc.gold_model_of(node) -%}
        {%- for part in ['feed', 'silver', 'source_catalog', 'database', 'schema', 'table', 'key'] -%}
            {%- do declared.update({part: gold[part]}) -%}
        {%- endfor -%}
        {%- do declared.update({'columns': declared.columns or gold.columns}) -%}
    {%- endif -%}
    {#- at once: models run side by side -#}
    {%- do meta.update(declared) -%}
{%- endmacro %}


{#- The columns to which a model's YAML gives a type, as in the argument `columns`; `config: {meta: {source: ...}}` is a column's name in
    the messages. What is described without a type is not declared, nor is what gold or a history makes itself. -#}
{% macro columns_in_yaml(node) -%}
    {%- set columns = {} -%}
    {%- set own = ['_change'] + ([] if node.config.materialized in ['current_state', 'current_rows'] else cdc.own_names_of_history()) -%}
    {%- for name, column in node.columns.items() if column.data_type and name | lower not in own -%}
        {%- set source = (column.config or {}).get('meta', {}).get('source') or (column.meta or {}).get('source') -%}
        {%- do columns.update({name: {'type': column.data_type, 'source': source} if source else column.data_type}) -%}
    {%- endfor -%}
    {{ return(columns) }}
{%- endmacro %}


{#- What the gold model declares of which a history is. -#}
{% macro gold_model_of(history) -%}
    {%- set name = history.config.meta.of -%}
    {%- for node in cdc.gold_models() if node.name == name and node.package_name == history.package_name -%}
        {%- if not node.config.meta.key -%}
            {{ exceptions.raise_compiler_error(
                "History model '" ~ history.name ~ "': " ~ name ~ " has no key, and without one no version belongs to a row."
            ) }}
        {%- endif -%}
        {{ return(node.config.meta) }}
    {%- endfor -%}
    {{ exceptions.raise_compiler_error(
        "History model '" ~ history.name ~ "': of='" ~ name ~ "' is no gold model. It takes the name of one that current_state makes."
    ) }}
{%- endmacro %}


{#- Names that the statements of gold use themselves. -#}
{% macro own_names() -%}
    {{ return([
        '_change', '_row_key', '_is_deleted', '_is_rebuilt', '_sequence', '_delete_sequence', '_base_sequence', '_column_sequences',
        '_topic', '_partition', '_changed_at', '_image', '_wires', '_decoded', '_places', '_copies', '_newest', '_copy_number'
    ]) }}
{%- endmacro %}


{% macro own_names_of_history() -%}
    {{ return(['valid_from', 'valid_to', 'is_current', 'operation']) }}
{%- endmacro %}


{#- Those that a history's statement has beside the columns of its table, until its last CTE. -#}
{% macro names_within_history() -%}
    {{ return(['_valid_from', '_valid_to', '_is_current', '_operation', '_sent_values']) }}
{%- endmacro %}


{#- The gold model that makes a table; none where there is none. -#}
{% macro model_of_gold_table(relation) -%}
    {%- for node in cdc.gold_models() if node.schema == relation.schema and node.alias == relation.identifier -%}
        {{ return(node) }}
    {%- endfor -%}
    {{ return(none) }}
{%- endmacro %}


{#- What the gold model of a tested relation declares: feed, table, key, columns. -#}
{% macro gold_declaration(relation) -%}
    {%- set node = cdc.model_of_gold_table(relation) -%}
    {%- if node -%}{{ return(node.config.meta) }}{%- endif -%}
{%- endmacro %}


{#- The table as a feed's settings name it: `shop.orders`. -#}
{% macro place_of(meta) -%}
    {%- set place = [] -%}
    {%- for part in cdc.place_parts() if meta[part] -%}
        {%- do place.append(meta[part].pattern if meta[part] is mapping else meta[part]) -%}
    {%- endfor -%}
    {{ return(place | join('.')) }}
{%- endmacro %}


{#- What a feed's settings call a table, as a regular expression for its full name: the name itself, or where a gold model of
    many shards is called so, its patterns. -#}
{% macro pattern_of_place(feed, place) -%}
    {%- for node in (graph.nodes.values() if execute else []) -%}
        {%- set meta = node.config.meta -%}
        {%- if meta.feed == feed and cdc.place_of(meta) == place -%}
            {%- set patterns = [] -%}
            {%- for part in cdc.place_parts() if meta[part] -%}
                {%- do patterns.append('(' ~ meta[part].pattern ~ ')' if meta[part] is mapping else modules.re.escape(meta[part])) -%}
            {%- endfor -%}
            {{ return(patterns | join('[.]')) }}
        {%- endif -%}
    {%- endfor -%}
    {{ return(modules.re.escape(place)) }}
{%- endmacro %}


{#- What a feed's setting says of the whole table of a model, by the names under which it does. Both may leave out what the source does
    not have, so that a name may have fewer parts than the model, or more; one with patterns is that of a model which declares them.
    Each of many models asks several times: the graph is searched for names with patterns alone. -#}
{% macro settings_of_table(setting, meta) -%}
    {%- set found = {} -%}
    {%- set settings = cdc.feed_settings(meta.feed).get(setting) or {} -%}
    {%- if settings -%}
        {%- set own_name = cdc.place_of(meta) -%}
        {%- set signs = cdc.signs_of_patterns() -%}
        {%- set parts = [] -%}
        {%- set patterns = [] -%}
        {%- for part in cdc.place_parts() if meta[part] -%}
            {%- do (patterns if meta[part] is mapping else parts).append(meta[part]) -%}
        {%- endfor -%}
        {%- for name, value in settings.items() -%}
            {%- set named = name.split('.') -%}
            {%- if name == own_name
                or not patterns and (
                    named[-1] == parts[-1]
                    and (named | reject('in', parts) | list == [] or parts | reject('in', named) | list == [])
                    or modules.re.search(signs, name)
                    and modules.re.match('^' ~ cdc.pattern_of_place(meta.feed, name) ~ '$', parts | join('.'))
                )
            -%}
                {%- do found.update({name: value}) -%}
            {%- endif -%}
        {%- endfor -%}
    {%- endif -%}
    {{ return(found) }}
{%- endmacro %}


{#- May a setting's name mean one of the tables of a model with patterns? Another pattern may. -#}
{% macro may_mean_shard(name, meta) -%}
    {%- set pattern = meta.table.pattern if meta.table is mapping else modules.re.escape(meta.table) -%}
    {{ return(
        modules.re.match('^(' ~ pattern ~ ')$', name.split('.')[-1]) is not none
        or modules.re.search(cdc.signs_of_patterns(), name) is not none
    ) }}
{%- endmacro %}


{% macro place_parts() -%}
    {{ return(['database', 'schema', 'table']) }}
{%- endmacro %}
