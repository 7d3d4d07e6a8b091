{#- Makes known to Spark's catalogue what it lacks; dbt has listed silver already. -#}
{% macro register_bronze() -%}
    {%- set folder = cdc.absolute_path(var('bronze_path')) -%}
    {%- set missing = [] -%}
    {%- for table in cdc.tables_of_bronze() if load_relation(source('bronze', table)) is none -%}
        {%- do missing.append(table) -%}
    {%- endfor -%}
    {%- if 'messages' in missing -%}
        {%- do cdc.refuse_missing_bronze(folder) -%}
    {%- else -%}
        {%- do cdc.refuse_moved_bronze(load_relation(source('bronze', 'messages')).information or '', folder ~ '/messages') -%}
    {%- endif -%}
    {%- do cdc.register_tables_of_bronze(missing, folder) -%}
    {%- if load_relation(cdc.applied_versions()) is none -%}
        {%- do run_query('create schema if not exists ' ~ cdc.silver_schema()) -%}
        {%- do run_query(
            'create table if not exists ' ~ cdc.applied_versions() ~ ' (model string, bronze_version bigint, built_by string) using delta'
        ) -%}
    {%- endif -%}
{%- endmacro %}


{#- Spark would make an empty table where there is none. Its refusal cannot be caught: say beforehand what it means. -#}
{% macro refuse_missing_bronze(folder) -%}
    {%- do log(
        'First run here: registering the tables of ' ~ folder ~ '. If there are none, nothing has been loaded yet: run'
        ~ ' `python -m ingestion load` first.', info=true
    ) -%}
    {%- do run_query('describe delta.' ~ '`' ~ folder ~ '/messages`') -%}
{%- endmacro %}


{% macro tables_of_bronze() -%}
    {{ return(['messages', 'feeds', 'topics', 'gaps', 'files']) }}
{%- endmacro %}


{% macro register_tables_of_bronze(tables, folder) -%}
    {%- set bronze = source('bronze', 'messages').schema -%}
    {%- if tables -%}
        {%- do run_query('create schema if not exists ' ~ bronze) -%}
    {%- endif -%}
    {%- for table in tables -%}
        {%- do run_query(
            'create table if not exists ' ~ bronze ~ '.' ~ table
            ~ ' using delta location ' ~ cdc.quoted(folder ~ '/' ~ table)
        ) -%}
    {%- endfor -%}
{%- endmacro %}


{#- The catalogue keeps the folder in which bronze was when it was registered, and nothing would seem new once the loader writes to
    another. `information` is what Spark says of the table. A host is compared where the project names one; what Spark writes in
    another way (%, ..) is not compared. -#}
{% macro refuse_moved_bronze(information, folder) -%}
    {%- set registered = modules.re.search('Location:? +([^\\n]+)', information) -%}
    {%- set scheme = '^[A-Za-z0-9+.-]+:' ~ ('' if modules.re.match('(?!file:)[A-Za-z0-9+.-]+://[^/]', folder) else '(//[^/]*)?') -%}
    {%- if registered and '%' not in registered[1] and '/.' not in folder -%}
        {%- set places = [] -%}
        {%- for place in [registered[1] | trim, folder] -%}
            {%- do places.append(modules.re.sub('/+', '/', modules.re.sub(scheme, '', place))) -%}
        {%- endfor -%}
        {%- if places[0] != places[1] -%}
            {{ exceptions.raise_compiler_error(
                'Spark knows bronze.messages in ' ~ registered[1] | trim ~ ', and the loader of this project writes to ' ~ folder ~ '. If bronze was moved'
                ~ ' there, run `dbt run-operation move_bronze` once. If the whole project was copied or moved, its tables are still those of the'
                ~ ' old folder: remove lakehouse/metastore_db and lakehouse/warehouse here, and `dbt build` makes silver and gold again.'
            ) }}
        {%- endif -%}
    {%- endif -%}
{%- endmacro %}
